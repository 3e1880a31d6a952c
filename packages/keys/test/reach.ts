/** Enumeration of everything that a rule permits: an independent oracle for rule containment. */
import { ClusterName } from "@quarterdeck/targeting/ClusterName"
import * as NamespaceFilter from "@quarterdeck/targeting/NamespaceFilter"
import * as Target from "@quarterdeck/targeting/Target"
import * as Access from "../src/Access.ts"
import * as Rule from "../src/Rule.ts"

/** Every cluster, namespace and label set that the sample rules distinguish, plus one of each that no rule names. */
const places = ["c1", "c2", "c3", "c4"].flatMap((cluster) =>
  ["a", "b", "c", "d"].flatMap((namespace) =>
    [undefined, {}, { k: "1" }, { k: "2" }, { l: "1" }, { k: "1", l: "2" }].map((labels) => ({
      cluster: ClusterName.make(cluster),
      namespace,
      labels
    }))
  )
)

const operations = Access.resources.flatMap((resource) => Access.verbs.map((verb) => ({ resource, verb })))

/** Returns everything that one rule permits and another does not. */
export const beyond = (inner: Rule.Rule, outer: Rule.Rule) => {
  const permits = (rule: Rule.Rule) => {
    const [scope, filter] = [Rule.clusterScope(rule), Rule.namespaceFilter(rule)]
    return ({ cluster, labels, namespace }: (typeof places)[number]) =>
      Target.reaches(scope, cluster) && NamespaceFilter.matches(filter, namespace, labels)
  }
  const [byInner, byOuter] = [permits(inner), permits(outer)]
  const may = (rule: Rule.Rule, { resource, verb }: (typeof operations)[number]) =>
    Access.decide(rule, resource, verb) === "allowed"
  return [
    ...places.filter((place) => byInner(place) && !byOuter(place)),
    ...operations.filter((operation) => may(inner, operation) && !may(outer, operation))
  ]
}
