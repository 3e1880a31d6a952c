/**
 * The grammars of names, labels and annotations, with the words in which the real server refuses what breaks them.
 *
 * **Source** Kubernetes, `k8s.io/apimachinery/pkg/util/validation`.
 */
import { type JsonObject, objectAt } from "./Json.ts"
import { type FieldError, invalidValue } from "./Status.ts"

const LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
const STARTING = "[a-z]([-a-z0-9]*[a-z0-9])?"
const SUBDOMAIN = `${LABEL}(\\.${LABEL})*`
const QUALIFIED = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
const VALUE = `(${QUALIFIED})?`

const whole = (pattern: string): RegExp => new RegExp(`^(?:${pattern})$`)
const LABEL_REGEX = whole(LABEL)
const STARTING_REGEX = whole(STARTING)
const SUBDOMAIN_REGEX = whole(SUBDOMAIN)
const QUALIFIED_REGEX = whole(QUALIFIED)
const VALUE_REGEX = whole(VALUE)

const longer = (limit: number): string => `must be no more than ${limit} bytes`

/** What is wrong with a DNS label, if anything is. */
export const labelProblem = (name: string): string | undefined => {
  if (name.length > 63) return longer(63)
  if (LABEL_REGEX.test(name)) return undefined
  return (
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an "
    + `alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '${LABEL}')`
  )
}

/** What is wrong with a label that has to start with a letter. */
export const startingLabelProblem = (name: string): string | undefined => {
  if (name.length > 63) return longer(63)
  if (STARTING_REGEX.test(name)) return undefined
  return (
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end "
    + `with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '${STARTING}')`
  )
}

export const subdomainProblem = (name: string): string | undefined => {
  if (name.length > 253) return longer(253)
  if (SUBDOMAIN_REGEX.test(name)) return undefined
  return (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with "
    + `an alphanumeric character (e.g. 'example.com', regex used for validation is '${SUBDOMAIN}')`
  )
}

/** Names of roles and bindings may hold anything but a path's own characters. */
export const pathSegmentProblem = (name: string): string | undefined => {
  if (name === "." || name === "..") return `may not be '${name}'`
  const bad = ["/", "%"].find((character) => name.includes(character))
  return bad === undefined ? undefined : `may not contain '${bad}'`
}

/** What is wrong with the key of a label or annotation. **Shape** `prefix/name` or `name`. */
export const keyProblem = (key: string): string | undefined => {
  const parts = key.split("/")
  const name = parts.at(-1) ?? ""
  if (parts.length > 2) {
    return (
      "a qualified name must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric "
      + `character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '${QUALIFIED}') with an optional `
      + "DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
    )
  }
  const [prefix] = parts
  if (parts.length === 2 && prefix === "") return "prefix part must be non-empty"
  if (parts.length === 2 && prefix !== undefined) {
    const problem = subdomainProblem(prefix)
    if (problem !== undefined) return `prefix part ${problem}`
  }
  if (name === "") return "name part must be non-empty"
  if (name.length > 63) return `name part ${longer(63)}`
  if (QUALIFIED_REGEX.test(name)) return undefined
  return (
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character "
    + `(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '${QUALIFIED}')`
  )
}

const CONFIG_KEY = "[-._a-zA-Z0-9]+"
const CONFIG_KEY_REGEX = whole(CONFIG_KEY)

/** What is wrong with a key of a config map or a secret. */
export const configKeyProblem = (key: string): string | undefined => {
  if (key.length > 253) return longer(253)
  if (key === "." || key === "..") return `must not be '${key}'`
  if (key.startsWith("..")) return "must not start with '..'"
  if (CONFIG_KEY_REGEX.test(key)) return undefined
  return (
    "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or "
    + `'key-name', regex used for validation is '${CONFIG_KEY}')`
  )
}

export const labelValueProblem = (value: string): string | undefined => {
  if (value.length > 63) return longer(63)
  if (VALUE_REGEX.test(value)) return undefined
  return (
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with "
    + `an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '${VALUE}')`
  )
}

/** Finds what is wrong with the labels under a path of an object. */
export const labelErrors = (object: JsonObject, path: ReadonlyArray<string>): ReadonlyArray<FieldError> => {
  const where = path.join(".")
  return Object.entries(objectAt(object, ...path)).flatMap(([key, value]) => {
    const ofKey = keyProblem(key)
    const ofValue = typeof value === "string" ? labelValueProblem(value) : undefined
    return [
      ...(ofKey === undefined ? [] : [invalidValue(where, key, ofKey)]),
      ...(ofValue === undefined ? [] : [invalidValue(where, value, ofValue)])
    ]
  })
}

export const annotationErrors = (object: JsonObject): ReadonlyArray<FieldError> =>
  Object.keys(objectAt(object, "metadata", "annotations")).flatMap((key) => {
    const problem = keyProblem(key.toLowerCase())
    return problem === undefined ? [] : [invalidValue("metadata.annotations", key, problem)]
  })
