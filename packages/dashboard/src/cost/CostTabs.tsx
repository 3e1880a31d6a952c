/**
 * Heading and links of the two cost pages.
 */
import { Anchor, Group, Text, Title } from "@mantine/core"
import { Link, useLocation, useSearchParams } from "react-router"
import { PLACES } from "../frame/places.ts"
import { useTitle } from "../frame/useTitle.ts"

const TABS = [
  [PLACES.cost, "Cost"],
  [PLACES.savings, "Savings"]
] as const

interface Props {
  readonly title: string
  readonly children: string
}

export const CostTabs = ({ children, title }: Props) => {
  const heading = useTitle(title)
  const { pathname } = useLocation()
  const [search] = useSearchParams()
  return (
    <div>
      <Group justify="space-between" align="baseline">
        <Title order={1} size="h2" ref={heading} tabIndex={-1}>
          {title}
        </Title>
        <Group gap="md" component="nav" aria-label="Cost pages" className="qd-cost-controls">
          {TABS.map(([to, label]) => (
            <Anchor
              key={to}
              component={Link}
              to={`${to}?${search.toString()}`}
              size="sm"
              underline="always"
              fw={pathname === to ? 650 : undefined}
              aria-current={pathname === to ? "page" : undefined}
            >
              {label}
            </Anchor>
          ))}
        </Group>
      </Group>
      <Text c="dimmed">{children}</Text>
    </div>
  )
}
