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
    "[]",
    "[{ group: platform, rule: { role: Admin, targetCluster: [prod] } }]",
    "[{ group: platform, rule: { role: Admin, targetClusters: [] } }]",
    "[{ group: platform, rule: { role: admin } }]",
    "[{ group: platform }]",
    '[{ group: "", rule: { role: Admin } }]',
    "[{ group: platform, rule: { role: Admin }, expire: 1d }]",
    "[{ group: platform, rule: { role: Admin } }, { group: platform, rule: { role: Viewer } }]",
    "{ platform: { role: Admin } }",
    "platform"
  ])("refuses the rules of groups %s", (rules) => {
    const found = lines({}, `oidc: { rules: ${rules} }`)
    assert.match(found.join("\n"), /^q\.yaml:1:16: oidc\.rules must be a list of \{ group, rule \}/)
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
