/**
 * The grammars of names, labels and annotations.
 *
 * **Source** Kubernetes, `k8s.io/apimachinery/pkg/util/validation`.
 */
import { type JsonObject, objectAt } from "./Json.ts"
import { type FieldError, invalidValue } from "./Status.ts"

/** Makes what tells of a text what is wrong with it, if anything is. */
const grammar = (pattern: string, limit: number, rule: string): ((text: string) => string | undefined) => {
  const regex = new RegExp(`^(?:${pattern})$`)
  return (text) => {
    if (text.length > limit) return `must have at most ${limit} characters`
    return regex.test(text) ? undefined : rule
  }
}

const LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
const QUALIFIED = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
const ENDS = "beginning and ending with a letter or digit"

/** What is wrong with a DNS label, if anything is. */
export const labelProblem = grammar(LABEL, 63, `must be lowercase letters, digits and "-", ${ENDS}`)

/** What is wrong with a label that has to start with a letter. */
export const startingLabelProblem = grammar(
  "[a-z]([-a-z0-9]*[a-z0-9])?",
  63,
  'must be lowercase letters, digits and "-", beginning with a letter and ending with a letter or digit'
)

export const subdomainProblem = grammar(
  `${LABEL}(\\.${LABEL})*`,
  253,
  `must be lowercase letters, digits, "-" and ".", each part ${ENDS}`
)

/** Names of roles and bindings may hold anything but a path's own characters. */
export const pathSegmentProblem = (name: string): string | undefined =>
  name === "." || name === ".." || /[/%]/.test(name) ? 'must not be "." or "..", nor hold "/" or "%"' : undefined

const qualifiedProblem = grammar(QUALIFIED, 63, `must be letters, digits, "-", "_" and ".", ${ENDS}`)

/** What is wrong with the key of a label or annotation. **Shape** `prefix/name` or `name`. */
export const keyProblem = (key: string): string | undefined => {
  const [prefix, ...rest] = key.split("/")
  if (rest.length > 1) return 'must have one "/" at most, behind a prefix'
  const [name] = rest
  if (name === undefined) return qualifiedProblem(key)
  const ofPrefix = subdomainProblem(prefix ?? "")
  if (ofPrefix !== undefined) return `the part before the "/" ${ofPrefix}`
  const ofName = qualifiedProblem(name)
  return ofName === undefined ? undefined : `the part behind the "/" ${ofName}`
}

const keyCharactersProblem = grammar("[-._a-zA-Z0-9]+", 253, 'must be letters, digits, "-", "_" and "."')

/** What is wrong with a key of a config map or a secret. */
export const configKeyProblem = (key: string): string | undefined =>
  key === "." || key.startsWith("..") ? 'must not be ".", nor begin with ".."' : keyCharactersProblem(key)

export const labelValueProblem = grammar(
  `(${QUALIFIED})?`,
  63,
  `must be empty, or letters, digits, "-", "_" and ".", ${ENDS}`
)

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
