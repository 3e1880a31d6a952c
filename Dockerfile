# syntax=docker/dockerfile:1
# The image of the server: Node, the program, certificates; no shell, no package manager, a user without rights.
# `docker build -t quarterdeck .` makes it for this machine, the release workflow for amd64 and arm64.
#
# The base is named by its version, which is that of the workspace's own Node. To hold it to the very bytes, write
# `node:24.21.0-bookworm-slim@sha256:…` with the digest that `docker buildx imagetools inspect node:24.21.0-bookworm-slim`
# prints first: that of the list of all machines, not of one of them.
ARG NODE=node:24.21.0-bookworm-slim

# The same for every machine, so it is made on the one that builds.
FROM --platform=$BUILDPLATFORM $NODE AS program
WORKDIR /checkout
COPY . .
RUN npx --yes pnpm@12 install --frozen-lockfile && npx --yes pnpm@12 exec bash .ci/image-root program /image

FROM $NODE AS system
RUN apt-get update && apt-get install --yes --no-install-recommends ca-certificates
COPY .ci/image-root /usr/local/bin/
RUN image-root system /image /usr/local/bin/node

# From here on .ci/image reads the same lines.
FROM scratch
COPY --from=system /image/ /
COPY --from=program /image/ /
LABEL org.opencontainers.image.title="Quarterdeck" \
      org.opencontainers.image.description="One address over many Kubernetes clusters" \
      org.opencontainers.image.source="https://github.com/quarterdeck/quarterdeck" \
      org.opencontainers.image.licenses="Apache-2.0"
ENV PATH=/usr/local/bin QUARTERDECK_HOST=0.0.0.0 QUARTERDECK_DATA=/data NODE_OPTIONS="--max-semi-space-size=16 --v8-pool-size=1"
USER 65532:65532
VOLUME /data
EXPOSE 8080
ENTRYPOINT ["quarterdeck"]
CMD ["serve"]
