# syntax=docker/dockerfile:1
# The image of the server: Node, the program and certificates, with an unprivileged user. No shell, no package manager.
# `docker build -t quarterdeck .` builds it for this machine. The release workflow builds it for amd64 and arm64.
#
# The base image is pinned to the version of the workspace's own Node. To pin its exact content, write
# `node:24.21.0-bookworm-slim@sha256:…` with the digest that `docker buildx imagetools inspect node:24.21.0-bookworm-slim`
# prints first: the digest of the multi-platform index, not of a single platform.
ARG NODE=node:24.21.0-bookworm-slim

# The program is the same for every architecture, so it is built on the building machine.
FROM --platform=$BUILDPLATFORM $NODE AS program
WORKDIR /checkout
COPY . .
RUN npx --yes pnpm@12 install --frozen-lockfile && npx --yes pnpm@12 exec bash .ci/image-root program /image

FROM $NODE AS system
RUN apt-get update && apt-get install --yes --no-install-recommends ca-certificates
COPY .ci/image-root /usr/local/bin/
RUN image-root system /image /usr/local/bin/node

# .ci/image also reads the lines from here on.
FROM scratch
COPY --from=system /image/ /
COPY --from=program /image/ /
LABEL org.opencontainers.image.title="Quarterdeck" \
      org.opencontainers.image.description="One address over many Kubernetes clusters" \
      org.opencontainers.image.source="https://github.com/quarterdeck/quarterdeck" \
      org.opencontainers.image.licenses="Apache-2.0"
ENV PATH=/usr/local/bin QUARTERDECK_HOST=0.0.0.0 QUARTERDECK_DATA=/data NODE_OPTIONS="--max-semi-space-size=16 --v8-pool-size=1" NODE_DISABLE_COMPILE_CACHE=1
USER 65532:65532
VOLUME /data
EXPOSE 8080
ENTRYPOINT ["quarterdeck"]
CMD ["serve"]
