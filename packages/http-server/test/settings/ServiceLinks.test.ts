import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as Settings from "../../src/settings/Settings.ts"
import * as SettingsFile from "../../src/settings/SettingsFile.ts"

const combine = (variables: Record<string, string>) => Settings.combine({}, variables, SettingsFile.empty)
const port = (variables: Record<string, string>) => Result.getOrThrow(combine(variables)).settings.server.port
const lines = ({ variables }: { readonly variables: Record<string, string> }) =>
  Result.match(combine(variables), { onSuccess: () => [], onFailure: (error) => error.lines })

describe("in a pod beside a Service named quarterdeck", () => {
  const links = {
    QUARTERDECK_SERVICE_HOST: "10.96.0.7",
    QUARTERDECK_SERVICE_PORT: "8080",
    QUARTERDECK_SERVICE_PORT_HTTP: "8080",
    QUARTERDECK_PORT: "tcp://10.96.0.7:8080",
    QUARTERDECK_PORT_8080_TCP: "tcp://10.96.0.7:8080",
    QUARTERDECK_PORT_8080_TCP_PROTO: "tcp",
    QUARTERDECK_PORT_8080_TCP_PORT: "8080",
    QUARTERDECK_PORT_8080_TCP_ADDR: "10.96.0.7",
    QUARTERDECK_METRICS_PORT: "tcp://[fd00::7]:9090"
  }

  it("starts with its own settings", () => {
    const pod = { ...links, KUBERNETES_SERVICE_HOST: "10.96.0.1" }
    assert.strictEqual(port(pod), 8080)
  })

  it("still refuses a variable or a value that Kubernetes did not make", () => {
    const pod = { KUBERNETES_SERVICE_HOST: "10.96.0.1" }
    assert.lengthOf(lines({ variables: { ...pod, QUARTERDECK_PORT: "http" } }), 1)
    assert.lengthOf(lines({ variables: { ...pod, QUARTERDECK_METRICS_PORT: "9090" } }), 1)
    assert.lengthOf(lines({ variables: links }), Object.keys(links).length)
  })
})
