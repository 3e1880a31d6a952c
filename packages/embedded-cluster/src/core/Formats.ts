/**
 * String formats of structural schemas.
 *
 * **Source** Kubernetes 1.36, `kube-openapi/pkg/validation/strfmt`. A format that is not listed here is not checked.
 */
import { isIPv4, isIPv6 } from "node:net"
import { labelProblem, subdomainProblem } from "./Names.ts"

const matching = (pattern: RegExp) => (text: string) => pattern.test(text)

const DATE_TIME = /^([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.[0-9]+)?(?:z|([+-][0-9]{2}:[0-9]{2}))$/i

const isDate = (text: string): boolean => {
  if (!/^[0-9]{4}-[0-9]{2}-[0-9]{2}$/.test(text)) return false
  const time = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(text)
}

const isDateTime = (text: string): boolean => {
  const date = text.slice(0, 10)
  const match = DATE_TIME.exec(text.slice(11))
  if (!isDate(date) || !/^[t ]$/i.test(text.slice(10, 11)) || match === null) return false
  return Number(match[1]) < 24 && Number(match[2]) < 60 && Number(match[3]) < 60
}

const isCidr = (text: string): boolean => {
  const slash = text.lastIndexOf("/")
  const [address, bits] = [text.slice(0, slash), text.slice(slash + 1)]
  if (slash < 0 || !/^[0-9]{1,3}$/.test(bits)) return false
  return isIPv4(address) ? Number(bits) <= 32 : isIPv6(address) && Number(bits) <= 128
}

const isUri = (text: string): boolean =>
  text.startsWith("/") || (/^[a-z][a-z0-9+.-]*:/i.test(text) && URL.canParse(text))

const isHostname = (text: string): boolean =>
  text.length <= 255 && text.split(".").every((part) => /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/i.test(part))

const isBase64 = (text: string): boolean => text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text)

const FORMATS = new Map<string, (text: string) => boolean>([
  ["byte", isBase64],
  ["cidr", isCidr],
  ["date", isDate],
  ["date-time", isDateTime],
  ["datetime", isDateTime],
  [
    "duration",
    matching(
      /^(?:[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:ns|us|µs|ms|s|m|h))+$|^0$|^[0-9]+ ?(?:seconds?|minutes?|hours?|days?|weeks?|d|w)$/
    )
  ],
  ["email", matching(/^[^\s@<>]+@[^\s@<>]+$/)],
  ["hexcolor", matching(/^#?([0-9a-f]{3}|[0-9a-f]{6})$/i)],
  ["hostname", isHostname],
  ["ipv4", isIPv4],
  ["ipv6", isIPv6],
  ["k8s-long-name", (text) => subdomainProblem(text) === undefined],
  ["k8s-short-name", (text) => labelProblem(text) === undefined],
  ["mac", matching(/^(?:[0-9a-f]{2}([:-]))(?:[0-9a-f]{2}\1){4}[0-9a-f]{2}$/i)],
  ["uri", isUri],
  ["uuid", matching(/^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i)],
  ["uuid3", matching(/^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i)],
  ["uuid4", matching(/^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i)],
  ["uuid5", matching(/^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i)]
])

/** Returns whether a text has a format. True for a format that is not listed. */
export const has = (format: string, text: string): boolean => FORMATS.get(format)?.(text) ?? true
