"""A server with the OpenAI interface that answers planted rows after a set delay.

    python -m benchmarks.faithfulness.server PORT SECONDS

It does next to nothing itself, so that what is measured beside it is the client.
"""

import asyncio
import json
import re
import sys
from collections.abc import Sequence

from backend.program.command_line import CommandLineParser, run

PROGRAM = "python -m benchmarks.faithfulness.server"
LONGEST_HEAD = 2**16
NOTHING = "not known"


def answer(prompt: str) -> str:
    """The planted value if the text that is shown holds it, else that it is not known."""
    last = prompt.rsplit("\n\n", 1)[-1]
    number = re.search(r"what is item (\d+)", last)
    value = f"value {number[1]}" if number and f"value {number[1]} " in last else NOTHING
    return f" {value}\nKeywords: {value}"


def reply(body: bytes) -> bytes:
    """The HTTP response to a request for a completion."""
    prompt = json.loads(body)["prompt"]
    text = answer(prompt)
    usage = {"prompt_tokens": len(prompt) // 4, "completion_tokens": len(text) // 4, "total_tokens": 0}
    choice = {"index": 0, "text": text, "finish_reason": "stop", "logprobs": None}
    content = json.dumps(
        {"id": "1", "object": "text_completion", "created": 0, "model": "planted", "usage": usage, "choices": [choice]}
    ).encode()
    head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(content)}\r\n\r\n"
    return head.encode() + content


async def serve(port: int, delay: float) -> None:
    async def converse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                length = re.search(rb"content-length: (\d+)", head, re.IGNORECASE)
                body = await reader.readexactly(int(length[1]) if length else 0)
                await asyncio.sleep(delay)
                writer.write(reply(body))
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionResetError):
            writer.close()

    server = await asyncio.start_server(converse, "127.0.0.1", port, limit=LONGEST_HEAD)
    async with server:
        await server.serve_forever()


def main(argv: Sequence[str]) -> None:
    parser = CommandLineParser(prog=PROGRAM, description="Answer planted rows, each reply after a set delay.")
    parser.add_argument("port", type=int, metavar="PORT")
    parser.add_argument("delay", type=float, metavar="SECONDS")
    args = parser.parse_args(argv)
    asyncio.run(serve(args.port, args.delay))


if __name__ == "__main__":
    sys.exit(run(PROGRAM, main))
