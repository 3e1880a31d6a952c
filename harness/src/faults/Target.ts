/** A TCP address. */
export interface Address {
  readonly host: string
  readonly port: number
}

/** The server behind a proxy. */
export interface Target extends Address {
  readonly origin: string
  readonly caPem: string
}

/** Parses `https://host:port`. The port defaults to 443. */
export const addressOf = (server: string): Address => {
  const { hostname, port } = new URL(server)
  return { host: hostname.replace(/^\[|\]$/g, ""), port: port === "" ? 443 : Number(port) }
}

export const from = (server: string, caPem: string): Target => ({
  ...addressOf(server),
  origin: new URL(server).origin,
  caPem
})
