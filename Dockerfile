# Builds Drover and runs it as a user who is not root. docs/how-to/install.md says how to use it.
FROM node:22-bookworm AS build
WORKDIR /opt/drover
COPY package.json package-lock.json .npmrc ./
COPY bin bin
COPY scripts scripts
COPY src src
COPY docs docs
COPY examples examples
COPY deploy/Caddyfile deploy/Caddyfile
COPY deploy/grafana deploy/grafana
COPY deploy/prometheus/drover-rules.yml deploy/prometheus/drover-rules.yml
COPY bench/README.md bench/README.md
COPY CHANGELOG.md CONTRIBUTING.md LICENSE SECURITY.md ./
COPY tsconfig.json ./
RUN npm ci && npm run build
# Remove what only the build needs.
RUN npm prune --omit=dev && rm -rf node_modules/esbuild node_modules/@esbuild

FROM node:22-bookworm-slim
RUN apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates rsync \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /opt/drover
COPY --from=build /opt/drover/package.json ./
COPY --from=build /opt/drover/node_modules node_modules
COPY --from=build /opt/drover/bin bin
COPY --from=build /opt/drover/scripts scripts
COPY --from=build /opt/drover/dist dist
COPY src/adapters/inbound/web/static src/adapters/inbound/web/static
COPY deploy/docker/healthcheck.mjs deploy/docker/healthcheck.mjs
RUN ln -s /opt/drover/bin/drover.mjs /usr/local/bin/drover && install -d -m 0700 -o node -g node /data
USER node
ENV NODE_ENV=production SERVICE_DATA_DIR=/data SERVICE_HOST=0.0.0.0
VOLUME /data
EXPOSE 8888 8443
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 CMD ["node", "deploy/docker/healthcheck.mjs"]
STOPSIGNAL SIGTERM
CMD ["node", "bin/drover.mjs", "serve"]
