import { assert, describe, it, layer } from "@effect/vitest"
import { Drivers, eventually, Fleet } from "@quarterdeck/harness"
import { Context, Effect, Layer, Schema } from "effect"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { parse } from "yaml"
import { beyond, NAMESPACE, template } from "./Chart.ts"
import { available, run, sayIfLeftOut, succeed, temporaryDirectory, write } from "./Programs.ts"
import { releaseOf } from "./Release.ts"
import { secrets, TLS_EVERYWHERE, tlsEverywhere, ways } from "./Ways.ts"

const CRDS = fileURLToPath(new URL("crds", import.meta.url))

const DRIVER = "control-plane"
const { run: drivers } = await Effect.runPromise(Drivers.selected)

/** A real API server, which serves HTTPRoutes and ServiceMonitors beside its own kinds, with kubectl before it. */
const make = Effect.gen(function* () {
  const driver = drivers.find(({ name }) => name === DRIVER)
  assert.isDefined(driver)
  // Its own: helm asks a dozen things at once, and sends none of them again.
  const { parent } = yield* Fleet.make({ driver, parent: "hub", children: [] })
  const config = yield* write(join(yield* temporaryDirectory, "kubeconfig"), parent.kubeconfig)
  const args = ["--kubeconfig", config, "--namespace", NAMESPACE]
  const kubectl = (...more: ReadonlyArray<string>) => succeed("kubectl", [...args, ...more])
  yield* kubectl("create", "namespace", NAMESPACE)
  yield* kubectl("apply", "--filename", CRDS)
  yield* kubectl("wait", "--for=condition=Established", "--timeout=60s", "--filename", CRDS)
  const strictly = [...args, "apply", "--dry-run=server", "--validate=strict", "--filename", "-"]
  return {
    kubeconfig: parent.kubeconfig,
    kubectl,
    /** What a real server says to objects, of which it keeps none. */
    judge: (text: string) => run("kubectl", strictly, text),
    /** Says `yes` or `no`: whether the account of a release may do something. */
    may: (account: string, asked: ReadonlyArray<string>) =>
      Effect.map(
        run("kubectl", [...args, "auth", "can-i", ...asked, `--as=system:serviceaccount:${NAMESPACE}:${account}`]),
        ({ stdout }) => stdout.trim()
      )
  }
})

class RealCluster extends Context.Service<RealCluster, Effect.Success<typeof make>>()(
  "@quarterdeck/helm-chart/test/RealCluster"
) {
  static readonly layer = Layer.effect(RealCluster, make).pipe(Layer.orDie)
}

const readValues = Schema.decodeUnknownSync(Schema.Record(Schema.String, Schema.Unknown))

/** What there is of a release, by kind and name. */
const PARTS = [
  "configmap/quarterdeck-settings",
  "secret/quarterdeck-keys",
  "service/quarterdeck",
  "serviceaccount/quarterdeck",
  "statefulset/quarterdeck",
  "networkpolicy/quarterdeck",
  "poddisruptionbudget/quarterdeck",
  "clusterrole/quarterdeck:quarterdeck",
  "clusterrolebinding/quarterdeck:quarterdeck"
]
const ON_DEMAND = ["ingress/quarterdeck", "httproute/quarterdeck", "servicemonitor/quarterdeck"]

for (const { name } of drivers.filter((driver) => driver.name === DRIVER)) {
  for (const programs of available("helm", "kubectl")) {
    describe(`the chart on ${name}, by ${programs}`, () => {
      layer(RealCluster.layer, { timeout: "120 seconds", excludeTestServices: true })((it) => {
        it.effect("is taken by a strict server, in every documented way of configuring it", () =>
          Effect.gen(function* () {
            const { judge } = yield* RealCluster
            const plain = yield* template("{}")
            const others = yield* Effect.forEach(
              [...ways.map(({ values }) => values), tlsEverywhere],
              (values) => Effect.map(template(values), (text) => beyond(text, plain)),
              { concurrency: 2 }
            )
            const judged = yield* judge([plain, ...others].join("\n---\n"))
            assert.strictEqual(judged.stderr.replaceAll(/^Warning: .*last-applied.*\n/gm, ""), "")
            assert.strictEqual(judged.status, 0)
          })
        )

        it.effect("would be refused for a field that does not exist, also of the custom kinds", () =>
          Effect.gen(function* () {
            const { judge } = yield* RealCluster
            const text = yield* template(tlsEverywhere)
            const { status, stderr } = yield* judge(
              text
                .replace("enableServiceLinks:", "enableServiceLink:")
                .replace("parentRefs:", "parentRef:")
                .replace("interval:", "intervals:")
            )
            assert.notStrictEqual(status, 0)
            assert.match(stderr, /unknown field "spec\.template\.spec\.enableServiceLink"/)
            assert.match(stderr, /unknown field "spec\.parentRef"/)
            assert.match(stderr, /unknown field "spec\.endpoints\[0\]\.intervals"/)
          })
        )

        it.effect(
          "is upgraded to every documented way, one after the other, beside the Secrets that the docs say to make",
          () =>
            Effect.gen(function* () {
              const { kubeconfig, kubectl } = yield* RealCluster
              const release = yield* releaseOf(kubeconfig, "quarterdeck")
              yield* release.install({})
              assert.isAtLeast(secrets.length, 2)
              for (const { entry, name } of secrets) {
                yield* kubectl("create", "secret", "generic", name, `--from-literal=${entry}=x`)
              }
              const read = [...ways.map(({ values }) => readValues(parse(values))), {}]
              // A StatefulSet keeps the claims that it was made with: the page says so, and here they are installed.
              const keepsClaims = (values: object) => "persistence" in values
              const fixed = read.filter(keepsClaims)
              for (const values of read.filter((values) => !keepsClaims(values))) yield* release.upgrade(values)
              yield* release.uninstall
              assert.isAtLeast(fixed.length, 1)
              for (const values of fixed) {
                yield* release.install(values)
                yield* release.uninstall
              }
              for (const { name } of secrets) yield* kubectl("delete", "secret", name)
            })
        )

        it.effect("is installed, upgraded to all that it can make, and uninstalled without a rest", () =>
          Effect.gen(function* () {
            const { kubeconfig, kubectl, may } = yield* RealCluster
            const release = yield* releaseOf(kubeconfig, "quarterdeck")
            yield* release.install({})
            yield* kubectl("get", ...PARTS)
            const says = (word: "yes" | "no", ...asked: ReadonlyArray<string>) =>
              eventually(`${asked.join(" ")}: ${word}`, may("quarterdeck", asked), (seen) => seen === word)
            yield* says("yes", "watch", "deployments.apps")
            yield* says("no", "get", "secrets")
            yield* says("no", "patch", "deployments.apps")
            yield* says("no", "get", "pods", "--subresource=log")

            yield* release.upgrade({ ...TLS_EVERYWHERE, operator: { enabled: true } })
            yield* kubectl("get", ...PARTS, ...ON_DEMAND)
            yield* says("yes", "patch", "deployments.apps")
            yield* says("yes", "get", "pods", "--subresource=log")
            yield* says("no", "delete", "deployments.apps")

            yield* release.uninstall
            const left = yield* kubectl("get", "--ignore-not-found", "--output=name", ...PARTS, ...ON_DEMAND)
            assert.strictEqual(left, "")
          })
        )
      })

      it.effect(
        "has a pod that cannot start replaced by the upgrade that mends it",
        () =>
          Effect.gen(function* () {
            const driver = drivers.find((one) => one.name === name)
            assert.isDefined(driver)
            const { parent } = yield* Fleet.make({ driver, parent: "hub", children: [], controllers: true })
            const release = yield* releaseOf(parent.kubeconfig, "quarterdeck")
            const config = yield* write(join(yield* temporaryDirectory, "kubeconfig"), parent.kubeconfig)
            const images = Effect.map(
              run("kubectl", [
                "--kubeconfig",
                config,
                "--namespace",
                NAMESPACE,
                "get",
                "pod",
                "quarterdeck-0",
                "--ignore-not-found",
                "--output=jsonpath={.spec.containers[*].image}"
              ]),
              ({ stdout }) => stdout
            )
            const comesToRun = (image: string) => eventually(image, images, (seen) => seen === image)
            yield* release.install({ image: { repository: "registry.invalid/quarterdeck", tag: "mistyped" } })
            yield* comesToRun("registry.invalid/quarterdeck:mistyped")
            yield* release.upgrade({ image: { repository: "registry.invalid/quarterdeck", tag: "right" } })
            yield* comesToRun("registry.invalid/quarterdeck:right")
          }).pipe(Effect.scoped),
        60_000
      )
    })
  }
}
sayIfLeftOut(it, "helm")
sayIfLeftOut(it, "kubectl")
if (drivers.every(({ name }) => name !== DRIVER)) {
  it.effect(`is left out: the driver ${DRIVER} is none of this run's`, () => Effect.void)
}
