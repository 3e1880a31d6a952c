import { assert, describe, it } from "@effect/vitest"
import type { ContainerState } from "../../../src/drivers/k3s/Containers.ts"
import { failure } from "../../../src/drivers/k3s/Failure.ts"

const exited: ContainerState = {
  Status: "exited",
  ExitCode: 1,
  OOMKilled: false,
  Error: "",
  StartedAt: "2026-01-01T00:00:00Z"
}

describe("failure", () => {
  for (const [kind, line] of [
    ["Cgroups", "kubelet is configured to not run on a host using cgroup v1"],
    ["Cgroups", 'level=fatal msg="failed to evacuate root cgroup: mkdir /sys/fs/cgroup/init: read-only file system"'],
    ["Cgroups", 'level=fatal msg="failed to find memory cgroup (v2)"'],
    ["InotifyLimits", "failed to create fsnotify watcher: too many open files"],
    ["DiskFull", "write /var/lib/rancher/k3s/server/db/state.db: no space left on device"],
    ["BadFlag", "Error: unknown flag: --nonsense"],
    ["BadFlag", 'level=fatal msg="flag provided but not defined: -nonsense"'],
    ["Exited", "something that nobody has seen before"]
  ] as const) {
    it(`${kind} when the log says "${line}"`, () => {
      const error = failure({ state: exited, lines: ["before", line, ""] })
      assert.strictEqual(error.kind, kind)
      assert.deepStrictEqual(error.lastLines, ["before", line])
    })
  }

  it("PrivilegedRefused when Docker cannot give all capabilities", () => {
    const refusal = "OCI runtime create failed: runc create failed: unable to apply caps: operation not permitted"
    assert.strictEqual(failure({ refusal, lines: [] }).kind, "PrivilegedRefused")
  })

  it("OutOfMemory when Docker says so, whatever the log says", () => {
    const error = failure({ state: { ...exited, ExitCode: 137, OOMKilled: true }, lines: ["too many open files"] })
    assert.strictEqual(error.kind, "OutOfMemory")
  })

  it("is one screen of text, however long the log is", () => {
    const lines = Array.from({ length: 5_000 }, (_, line) => `${line} ${"x".repeat(10_000)}`)
    const { message } = failure({ state: exited, lines })
    assert.isAtMost(message.split("\n").length, 20)
    assert.isAtMost(message.length, 6_000)
    assert.include(message, "4999 x")
  })
})
