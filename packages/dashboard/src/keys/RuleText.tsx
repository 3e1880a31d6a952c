/**
 * The scope of a rule as text.
 */
import { List, Text } from "@mantine/core"
import type { Rule, Selector } from "../api/Shapes.ts"

const selectorText = ({ labelSelector, namespaceNames }: Selector): string => {
  const labels = Object.entries(labelSelector?.matchLabels ?? {}).map(([key, value]) => `${key}=${value}`)
  const names = namespaceNames.join(", ")
  if (labels.length === 0) return names
  return names === "" ? `labelled ${labels.join(", ")}` : `${names}, if labelled ${labels.join(", ")}`
}

export const RuleText = ({ rule }: { readonly rule: Rule }) => (
  <div>
    <Text size="sm" className="qd-text">
      {rule.targetClusters === undefined
        ? "Every cluster"
        : `${rule.targetClusters.length === 1 ? "Cluster" : "Clusters"} ${rule.targetClusters.join(", ")}`}
    </Text>
    {rule.targetNamespaces === undefined ? (
      <Text size="sm">Every namespace</Text>
    ) : (
      <>
        <Text size="sm">Namespaces</Text>
        <List size="sm" withPadding={false}>
          {rule.targetNamespaces.map((selector) => (
            <List.Item key={selectorText(selector)} className="qd-text">
              {selectorText(selector)}
            </List.Item>
          ))}
        </List>
      </>
    )}
  </div>
)
