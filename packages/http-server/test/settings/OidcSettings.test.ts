import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as Settings from "../../src/settings/Settings.ts"
import * as SettingsFile from "../../src/settings/SettingsFile.ts"

const combine = (variables: Record<string, string>, yaml = "") =>
  Settings.combine({}, variables, SettingsFile.parse("q.yaml", yaml))

const lines = (variables: Record<string, string>, yaml?: string) =>
  Result.match(combine(variables, yaml), { onSuccess: () => [], onFailure: (error) => error.lines })

describe("settings of an identity provider", () => {
  it("wants all that an identity provider needs together, and says what is missing", () => {
    assert.deepStrictEqual(lines({ QUARTERDECK_OIDC_ISSUER: "https://id.example" }), [
      "QUARTERDECK_OIDC_ISSUER: oidc.issuer needs oidc.clientId, oidc.rules, server.publicUrl too"
    ])
    assert.isUndefined(Result.getOrThrow(combine({})).settings.oidc)
  })

  it.each([
    ["[]", ": expected at least one group"],
    [
      "[{ group: platform, rule: { role: Admin, targetCluster: [prod] } }]",
      "[0].rule.targetCluster: is not known here"
    ],
    [
      "[{ group: platform, rule: { role: Admin, targetClusters: [] } }]",
      "[0].rule.targetClusters: expected at least one"
    ],
    ["[{ group: platform, rule: { role: admin } }]", "[0].rule.role: expected Viewer, Operator or Admin"],
    ["[{ group: platform }]", "[0].rule: is required"],
    ['[{ group: "", rule: { role: Admin } }]', "[0].group: expected the name of a group"],
    ["[{ group: platform, rule: { role: Admin }, expire: 1d }]", "[0].expire: is not known here"],
    ["[{ group: platform, rule: { role: Admin } }, { group: platform, rule: { role: Viewer } }]", ": each group once"],
    ["{ platform: { role: Admin } }", " must be a list of { group, rule }"],
    ["platform", " must be a list of { group, rule }"]
  ])("refuses the rules of groups %s, and names what is wrong", (rules, fault) => {
    const found = lines({}, `oidc: { rules: ${rules} }`)
    assert.isTrue(found.join("\n").startsWith(`q.yaml:1:16: oidc.rules${fault}`), found.join("\n"))
  })

  it.each([["http://id.example"], ["https://user:word@id.example"], ["https://id.example?a=b"], ["id.example"], [""]])(
    "refuses the issuer %j",
    (issuer) => {
      assert.match(
        lines({ QUARTERDECK_OIDC_ISSUER: issuer }).join("\n"),
        /^QUARTERDECK_OIDC_ISSUER: oidc\.issuer must be an https/
      )
    }
  )
})
