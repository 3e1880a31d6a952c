/**
 * The grammars of names, labels and annotations.
 *
 * **Source** Kubernetes, `k8s.io/apimachinery/pkg/util/validation`.
 */
import { type JsonObject, objectAt } from "./Json.ts"
import { type FieldError, invalidValue } from "./Status.ts"

/** Makes a check of a text against a pattern. The check returns the rule that the text breaks, if any. */
const grammar = (pattern: string, limit: number, rule: string): ((text: string) => string | undefined) => {
  const regex = new RegExp(`^(?:${pattern})$`)
  return (text) => {
    if (text.length > limit) return `must have at most ${limit} characters`
    return regex.test(text) ? undefined : rule
  }
}

const LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
const QUALIFIED = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
const ENDS = "starting and ending with a letter or digit"

/** Returns the rule that a DNS label breaks, if any. */
export const labelProblem = grammar(LABEL, 63, `must be lowercase letters, digits and "-", ${ENDS}`)

/** Returns the rule that a DNS label breaks, if any. The label must start with a letter. */
export const startingLabelProblem = grammar(
  "[a-z]([-a-z0-9]*[a-z0-9])?",
  63,
  'must be lowercase letters, digits and "-", starting with a letter and ending with a letter or digit'
)

export const subdomainProblem = grammar(
  `${LABEL}(\\.${LABEL})*`,
  253,
  `must be lowercase letters, digits, "-" and ".", each part ${ENDS}`
)

/** Returns the rule that the name of a role or binding breaks, if any: it must be usable as a path segment. */
export const pathSegmentProblem = (name: string): string | undefined =>
  name === "." || name === ".." || /[/%]/.test(name)
    ? 'must not be "." or "..", and must not contain "/" or "%"'
    : undefined

const qualifiedProblem = grammar(QUALIFIED, 63, `must be letters, digits, "-", "_" and ".", ${ENDS}`)

/** Returns the rule that the key of a label or annotation breaks, if any. **Shape** `prefix/name` or `name`. */
export const keyProblem = (key: string): string | undefined => {
  const [prefix, ...rest] = key.split("/")
  if (rest.length > 1) return 'must have at most one "/", after a prefix'
  const [name] = rest
  if (name === undefined) return qualifiedProblem(key)
  const prefixProblem = subdomainProblem(prefix ?? "")
  if (prefixProblem !== undefined) return `the part before the "/" ${prefixProblem}`
  const nameProblem = qualifiedProblem(name)
  return nameProblem === undefined ? undefined : `the part after the "/" ${nameProblem}`
}

const keyCharactersProblem = grammar("[-._a-zA-Z0-9]+", 253, 'must be letters, digits, "-", "_" and "."')

/** Returns the rule that a key of a ConfigMap or Secret breaks, if any. */
export const configKeyProblem = (key: string): string | undefined =>
  key === "." || key.startsWith("..") ? 'must not be ".", and must not start with ".."' : keyCharactersProblem(key)

export const labelValueProblem = grammar(
  `(${QUALIFIED})?`,
  63,
  `must be empty, or letters, digits, "-", "_" and ".", ${ENDS}`
)

/** Checks the labels under a path of an object. */
export const labelErrors = (object: JsonObject, path: ReadonlyArray<string>): ReadonlyArray<FieldError> => {
  const where = path.join(".")
  return Object.entries(objectAt(object, ...path)).flatMap(([key, value]) => {
    const keyRule = keyProblem(key)
    const valueRule = typeof value === "string" ? labelValueProblem(value) : undefined
    return [
      ...(keyRule === undefined ? [] : [invalidValue(where, key, keyRule)]),
      ...(valueRule === undefined ? [] : [invalidValue(where, value, valueRule)])
    ]
  })
}

export const annotationErrors = (object: JsonObject): ReadonlyArray<FieldError> =>
  Object.keys(objectAt(object, "metadata", "annotations")).flatMap((key) => {
    const problem = keyProblem(key.toLowerCase())
    return problem === undefined ? [] : [invalidValue("metadata.annotations", key, problem)]
  })
