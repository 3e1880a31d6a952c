/** Where a proxy leads to. */
/** Where TCP leads to. */
export interface Address {
  readonly host: string
  readonly port: number
}

export interface Target extends Address {
  readonly origin: string
  readonly caPem: string
}

/** Reads `https://host:port`. */
export const addressOf = (server: string): Address => {
  const { hostname, port } = new URL(server)
  return { host: hostname.replace(/^\[|\]$/g, ""), port: port === "" ? 443 : Number(port) }
}

export const from = (server: string, caPem: string): Target => ({
  ...addressOf(server),
  origin: new URL(server).origin,
  caPem
})
