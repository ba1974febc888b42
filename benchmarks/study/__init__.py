"""Many workers at once at a real server: how fast they are answered, and whether anything is lost or given twice.

`study.py` makes a study to work on, `server.py` starts and kills the server, `workers.py` are the people, `losses.py` compares
what was acknowledged with what the database holds, `measurement.py` puts it together.
"""
