/**
 * Single values of a query.
 */
/** Reads a switch as the real server does: present and neither `0` nor `false` is on. */
export const flag = (query: URLSearchParams, name: string): boolean | undefined => {
  const value = query.get(name)
  return value === null ? undefined : value !== "0" && value.toLowerCase() !== "false"
}

export const natural = (text: string): number | undefined => (/^[0-9]{1,15}$/.test(text) ? Number(text) : undefined)
