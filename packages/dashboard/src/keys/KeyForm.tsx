/**
 * The form of a key, beside the preview of its rule.
 */
import { Button, Grid, Group, Stack, Text } from "@mantine/core"
import { Result } from "effect"
import { type ReactNode, type SyntheticEvent, useRef } from "react"
import { Link } from "react-router"
import type { FieldErrors } from "../form/FieldErrors.ts"
import { type KeyDraft, toRule } from "./KeyDraft.ts"
import { RulePreview } from "./RulePreview.tsx"
import type { DraftForm } from "../form/useDraft.ts"

interface Props<Body> {
  readonly form: DraftForm<KeyDraft>
  readonly body: Result.Result<Body, FieldErrors>
  readonly onSend: (body: Body) => void
  /** Label of the submit button. */
  readonly verb: string
  readonly isUnchanged?: boolean
  /** Address of the page that Cancel opens. */
  readonly back: string
  readonly onCancel?: () => void
  readonly children: ReactNode
}

export const KeyForm = <Body,>({
  back,
  body,
  children,
  form,
  isUnchanged = false,
  onCancel,
  onSend,
  verb
}: Props<Body>) => {
  const element = useRef<HTMLFormElement>(null)
  const submit = (event: SyntheticEvent) => {
    event.preventDefault()
    if (Result.isFailure(body)) {
      form.refuse(body.failure)
      // Focuses the first field with an error.
      requestAnimationFrame(() => element.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus())
      return
    }
    if (!isUnchanged) onSend(body.success)
  }
  return (
    <Grid gap="lg">
      <Grid.Col span={{ base: 12, md: 7 }}>
        <form ref={element} onSubmit={submit} noValidate>
          <Stack gap="md">
            {children}
            {Object.keys(form.missing).length === 0 ? undefined : (
              <Text size="sm" c="red" role="alert">
                Some fields are missing or invalid.
              </Text>
            )}
            <Group>
              <Button type="submit" loading={form.isRunning} disabled={isUnchanged}>
                {verb}
              </Button>
              <Button component={Link} to={back} variant="default" onClick={onCancel}>
                Cancel
              </Button>
            </Group>
          </Stack>
        </form>
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 5 }}>
        <RulePreview rule={toRule(form.draft)} />
      </Grid.Col>
    </Grid>
  )
}
