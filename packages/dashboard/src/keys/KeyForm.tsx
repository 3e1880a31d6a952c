/**
 * The form of a key beside what its rule would reach.
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
  /** What its button says. */
  readonly verb: string
  readonly isUnchanged?: boolean
  /** The address of the page that one comes from. */
  readonly back: string
  readonly children: ReactNode
}

export const KeyForm = <Body,>({ back, body, children, form, isUnchanged = false, onSend, verb }: Props<Body>) => {
  const element = useRef<HTMLFormElement>(null)
  const submit = (event: SyntheticEvent) => {
    event.preventDefault()
    if (Result.isFailure(body)) {
      form.refuse(body.failure)
      // Once the fields have their errors, the reader is brought to the first one.
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
                Something is missing above, or not as it should be.
              </Text>
            )}
            <Group>
              <Button type="submit" loading={form.isRunning} disabled={isUnchanged}>
                {verb}
              </Button>
              <Button component={Link} to={back} variant="default">
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
