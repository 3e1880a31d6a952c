/** The order of test files, played by workers that take as long as was thought. */
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { inOrder, type TestFile } from "../FileOrder.ts"

const Files = Schema.Array(
  Schema.Struct({
    project: Schema.Literals(["small", "borrowing", "pages", "whole"]),
    seconds: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 200 }))
  })
).check(Schema.isMaxLength(60))
const Workers = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 6 }))

interface Begun {
  readonly file: TestFile
  readonly from: number
  readonly to: number
}

/** When each file begins and ends. */
const play = (files: ReadonlyArray<TestFile>, workers: number): ReadonlyArray<Begun> => {
  const free = Array.from({ length: workers }, () => 0)
  return files.map((file) => {
    const from = Math.min(...free)
    const to = from + file.seconds
    free[free.indexOf(from)] = to
    return { file, from, to }
  })
}

const runningAt = (played: ReadonlyArray<Begun>, at: number): ReadonlyArray<TestFile> =>
  played.flatMap(({ file, from, to }) => (from <= at && at < to ? [file] : []))

describe("the order of test files", () => {
  it.prop("has every file once", [Files, Workers], ([files, workers]) => {
    assert.sameMembers(inOrder(files, workers), [...files])
    assert.lengthOf(inOrder(files, workers), files.length)
  })

  it.prop(
    "lets two that borrow, or open pages, run at once only where nothing else is left",
    [Files, Workers],
    (given) => {
      const [files, workers] = given
      const ordered = inOrder(files, workers)
      const played = play(ordered, workers)
      for (const project of ["borrowing", "pages"]) {
        for (const [index, { file, from }] of played.entries()) {
          if (file.project !== project) continue
          const isSecond = runningAt(played.slice(0, index), from).some((other) => other.project === project)
          const others = ordered.slice(index).filter((later) => ["small", "whole"].includes(later.project))
          if (isSecond) assert.deepStrictEqual(others, [])
        }
      }
    }
  )

  it("begins with what takes longest, and has those that share a process beside each other", () => {
    const file = (project: string, seconds: number) => ({ project, seconds })
    const files = [
      file("whole", 2),
      file("small", 1),
      file("whole", 1),
      file("small", 40),
      file("pages", 12),
      file("small", 3),
      file("whole", 90),
      file("borrowing", 30),
      file("borrowing", 60),
      file("small", 2)
    ]
    assert.deepStrictEqual(
      inOrder(files, 3).map(({ project, seconds }) => `${project} ${seconds}`),
      [
        "borrowing 60",
        "pages 12",
        "whole 90",
        "small 40",
        "small 3",
        "small 2",
        "small 1",
        "whole 2",
        "borrowing 30",
        "whole 1"
      ]
    )
  })
})
