# One image for every role: `docker run trawl <role>`, role being api, discover, fetch, process, coordinator or migrate; and one with a
# browser for the role render: `docker build --target render -t trawl-render .`
FROM node:24-slim AS dependencies
WORKDIR /app
RUN npm install --global pnpm@12.18.0
COPY package.json pnpm-lock.yaml pnpm-workspace.yaml ./
COPY apps/api/package.json apps/api/
COPY apps/cli/package.json apps/cli/
COPY apps/coordinator/package.json apps/coordinator/
COPY apps/discover-worker/package.json apps/discover-worker/
COPY apps/fetch-worker/package.json apps/fetch-worker/
COPY apps/process-worker/package.json apps/process-worker/
COPY apps/render-worker/package.json apps/render-worker/
COPY packages/blobs/package.json packages/blobs/
COPY packages/contracts/package.json packages/contracts/
COPY packages/crawl-state/package.json packages/crawl-state/
COPY packages/db/package.json packages/db/
COPY packages/embedded/package.json packages/embedded/
COPY packages/embeddings/package.json packages/embeddings/
COPY packages/exports/package.json packages/exports/
COPY packages/extract/package.json packages/extract/
COPY packages/fetcher/package.json packages/fetcher/
COPY packages/politeness/package.json packages/politeness/
COPY packages/queues/package.json packages/queues/
COPY packages/renderer/package.json packages/renderer/
COPY packages/runtime/package.json packages/runtime/
COPY packages/sessions/package.json packages/sessions/
COPY packages/testing/package.json packages/testing/
COPY packages/turns/package.json packages/turns/
COPY packages/url/package.json packages/url/
COPY packages/wakeups/package.json packages/wakeups/
# No optional packages: they are the embedded servers and a Node, which an image has no use for.
RUN pnpm install --prod --frozen-lockfile --no-optional

FROM node:24-slim AS roles
ENV NODE_ENV=production \
    NODE_COMPILE_CACHE=/tmp/node-compile-cache \
    HEALTH_FILE=/tmp/trawl-healthy \
    BLOB_URL=file:///data/blobs
WORKDIR /app
COPY --from=dependencies /app ./
COPY apps apps
COPY packages packages
COPY infra/health-check.mjs infra/
RUN mkdir -p /data/blobs && chown node:node /data/blobs
USER node
VOLUME /data/blobs
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s CMD ["node", "infra/health-check.mjs"]
ENTRYPOINT ["node", "apps/cli/src/main.ts", "role"]
CMD ["api"]

# Chromium's own sandbox asks the kernel for what a container's profile usually denies: here the container is the fence.
FROM roles AS render
USER root
RUN apt-get update \
    && apt-get install -y --no-install-recommends chromium fonts-liberation \
    && rm -rf /var/lib/apt/lists/*
USER node
ENV BROWSER_SANDBOX=false
CMD ["render"]

# The last stage is what a plain build makes.
FROM roles
