/**
 * A linter plugin: comments must name the actor, and docstrings must open with a verb or a noun.
 *
 * "Nobody", "somebody" and "whoever" hide the actor; "is told" hides both the sender and the receiver. A docstring that opens
 * with "What" or "Tells" describes the code indirectly.
 */

/** The parts of the linter's plugin interface that the rule uses. */
interface Comment {
  readonly value: string
}
interface Context {
  readonly sourceCode: { readonly getAllComments: () => ReadonlyArray<Comment> }
  readonly report: (problem: { readonly node: Comment; readonly message: string }) => void
}

const HIDDEN_ACTOR = /\b(?:nobody|somebody|whoever|(?:is|are) told)\b/i
const RIDDLE = /^\*\s*(?:What|How|Tells|Gives|Says)\b/

const check = ({ report, sourceCode }: Context): void => {
  for (const comment of sourceCode.getAllComments()) {
    const [phrase] = HIDDEN_ACTOR.exec(comment.value.replaceAll(/\s+(?:\*\s)?/g, " ")) ?? []
    if (phrase !== undefined) report({ node: comment, message: `Name the actor instead of "${phrase}".` })
    const [opening] = RIDDLE.exec(comment.value.replaceAll("\n *", " ")) ?? []
    if (opening === undefined) continue
    const word = opening.replaceAll(/[*\s]/g, "")
    report({ node: comment, message: `Open with a verb or a noun, not with "${word}".` })
  }
}

// oxlint-disable-next-line import/no-default-export -- the linter reads the plugin by its default export
export default {
  meta: { name: "plain-english" },
  rules: { comments: { create: (context: Context) => ({ Program: () => check(context) }) } }
}
