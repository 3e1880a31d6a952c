import { NodeServices } from "@effect/platform-node"
import { assert, layer } from "@effect/vitest"
import { Effect, FileSystem, Path } from "effect"
import { quarterdeck } from "./program.ts"

layer(NodeServices.layer)("quarterdeck serve refuses to start", (it) => {
  const directory = Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const { join } = yield* Path.Path
    const path = yield* files.makeTempDirectoryScoped()
    return {
      path,
      write: (name: string, text: string) =>
        files.writeFileString(join(path, name), text).pipe(Effect.as(join(path, name))),
      exists: (name: string) => files.exists(join(path, name))
    }
  })

  it.effect("with settings that are wrong, every mistake on its own line, before anything is made", () =>
    Effect.gen(function* () {
      const { exists, path, write } = yield* directory
      const config = yield* write("quarterdeck.yaml", "server:\n  port: eighty\n  prot: 1\nserver: {}\n")
      const duplicate = yield* quarterdeck(["serve", "--config", config])
      assert.deepStrictEqual(duplicate, {
        stdout: "",
        stderr: `quarterdeck: ${config}:4:1: duplicate key\n`,
        status: 2
      })

      yield* write("quarterdeck.yaml", "server:\n  port: eighty\n  prot: 1\n")
      const { status, stderr, stdout } = yield* quarterdeck(["serve", "--config", config], {
        env: { QUARTERDECK_DATA: `${path}/data`, QUARTERDECK_SHUTDOWN_MS: "soon" }
      })
      assert.strictEqual(stdout, "")
      assert.strictEqual(
        stderr,
        `quarterdeck: ${config}:3:3: server.prot is not a setting; did you mean server.port? server may contain host, port, tls, shutdownMs, metrics, allowedOrigins, allowedHosts, publicUrl, trustedProxies\n`
          + `quarterdeck: ${config}:2:9: server.port must be a whole number from 0 to 65535, found text\n`
          + "quarterdeck: QUARTERDECK_SHUTDOWN_MS: server.shutdownMs must be a whole number from 0 to 600000\n"
      )
      assert.strictEqual(status, 2)
      assert.isFalse(yield* exists("data"))
    })
  )

  it.effect("with one Prometheus for two clusters and no label that tells their series apart", () =>
    Effect.gen(function* () {
      const { path, write } = yield* directory
      const names = ["hub", "eu"]
      const kubeconfig = yield* write(
        "kubeconfig",
        JSON.stringify({
          apiVersion: "v1",
          kind: "Config",
          "current-context": "hub",
          clusters: names.map((name) => ({ name, cluster: { server: `https://${name}.example` } })),
          users: names.map((name) => ({ name, user: { token: "t" } })),
          contexts: names.map((name) => ({ name, context: { cluster: name, user: name } }))
        })
      )
      const { status, stderr } = yield* quarterdeck([
        ...["serve", "--kubeconfig", kubeconfig, "--data", `${path}/data`, "--port", "0"],
        ...["--usage", "prometheus=http://reader:s3cret@127.0.0.1:9"]
      ])
      assert.include(
        stderr,
        "quarterdeck: cost.usageClusterLabel: must name the label that tells the clusters' series apart: "
          + "prometheus=http://127.0.0.1:9 is the source of both hub and eu"
      )
      assert.notInclude(stderr, "s3cret")
      assert.strictEqual(status, 1)
    })
  )

  it.effect("with a settings file that is not there", () =>
    Effect.gen(function* () {
      const { path } = yield* directory
      assert.deepStrictEqual(yield* quarterdeck(["serve", "--config", `${path}/none.yaml`]), {
        stdout: "",
        stderr: `quarterdeck: ${path}/none.yaml: the file cannot be read: does not exist\n`,
        status: 2
      })
    })
  )

  it.effect("with the same exit status, wherever a setting stands that is wrong", () =>
    Effect.gen(function* () {
      const { write } = yield* directory
      const config = yield* write("port.yaml", "server: { port: 70000 }\n")
      const ends = yield* Effect.all([
        quarterdeck(["serve", "--port", "70000"]),
        quarterdeck(["serve"], { env: { QUARTERDECK_PORT: "70000" } }),
        quarterdeck(["serve", "--config", config])
      ])
      for (const { stderr } of ends) assert.include(stderr, "server.port must be a whole number from 0 to 65535")
      assert.deepStrictEqual(
        ends.map(({ status }) => status),
        [2, 2, 2]
      )
    })
  )

  it.effect("with a flag's value that is wrong, and ends with 2", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(
        yield* quarterdeck(["serve", "--port", "70000"], { env: { QUARTERDECK_METRICS: "yes" } }),
        {
          stdout: "",
          stderr:
            "quarterdeck: --port: server.port must be a whole number from 0 to 65535\n"
            + "quarterdeck: QUARTERDECK_METRICS: server.metrics must be one of protected, public, off\n",
          status: 2
        }
      )
    })
  )
})
