import type { ApiFailure } from "../api/Client.ts"

/** Error messages of a form, by the name of the field that they stand under. */
export type FieldErrors = Readonly<Record<string, string>>

/** Maps a path in a request body to the name of a form field. */
export type FieldOf = (path: ReadonlyArray<PropertyKey>) => string

/** Names the field after the first step of the path. */
const firstStep: FieldOf = ([head = ""]) => String(head)

/**
 * Returns the error of a refused request under the field that the server names.
 *
 * **Shape** empty if the server names no field. The field's name at the start of the message is cut off.
 */
export const fieldErrorsOf = (
  failure: Pick<ApiFailure, "field" | "message"> | undefined,
  fieldOf: FieldOf = firstStep
): FieldErrors => {
  if (failure?.field === undefined) return {}
  const { field, message } = failure
  const text = message.startsWith(`${field}: `) ? message.slice(field.length + 2) : message
  return { [fieldOf(field.split(/[.[\]]+/).filter((step) => step !== ""))]: text }
}
