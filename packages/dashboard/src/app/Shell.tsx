/**
 * What stands around every page: places, colours, and who is signed in.
 */
import {
  ActionIcon,
  Alert,
  AppShell,
  Badge,
  Burger,
  Button,
  Group,
  Menu,
  NavLink,
  Stack,
  Text,
  useComputedColorScheme,
  useMantineColorScheme,
  VisuallyHidden
} from "@mantine/core"
import { useDisclosure } from "@mantine/hooks"
import { useQueryClient } from "@tanstack/react-query"
import { type ReactNode, useRef } from "react"
import { Link, useLocation } from "react-router"
import { signOut } from "../api/Session.ts"
import { useAction } from "../api/useAction.ts"
import { FailureAlert } from "../feedback/FailureAlert.tsx"
import { useCaller } from "./Caller.ts"
import icon from "./icon.svg"
import { KeyIcon, MoonIcon, PersonIcon, SunIcon } from "./Icons.tsx"
import { PLACES } from "./places.ts"

interface Props {
  readonly isOffline: boolean
  readonly children: ReactNode
}

export const Shell = ({ children, isOffline }: Props) => {
  const [isOpen, { close, toggle }] = useDisclosure(false)
  const main = useRef<HTMLElement>(null)
  const leaving = useAction()
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 240, breakpoint: "sm", collapsed: { mobile: !isOpen } }}
      padding={{ base: "md", sm: "lg" }}
    >
      <AppShell.Header>
        <button type="button" className="qd-skip" onClick={() => main.current?.focus()}>
          Skip to the content
        </button>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap">
            <Burger opened={isOpen} onClick={toggle} hiddenFrom="sm" size="sm" aria-label="Places" />
            <img src={icon} alt="" width={28} height={28} />
            <Text fw={650} visibleFrom="xs">
              Quarterdeck
            </Text>
          </Group>
          <Group gap="xs" wrap="nowrap">
            <ColorSwitch />
            <Identity leaving={leaving} />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="sm" aria-label="Places">
        <Places onChoose={close} />
      </AppShell.Navbar>
      <AppShell.Main ref={main} tabIndex={-1} id="content">
        <Stack gap="md" maw={1200}>
          {isOffline ? (
            <Alert color="yellow" role="status" title="The server does not answer">
              What you see may be out of date. The page asks again every few seconds.
            </Alert>
          ) : undefined}
          {leaving.failure === undefined ? undefined : <FailureAlert failure={leaving.failure} />}
          {children}
        </Stack>
      </AppShell.Main>
    </AppShell>
  )
}

const Places = ({ onChoose }: { readonly onChoose: () => void }) => {
  const { rule } = useCaller()
  const { pathname } = useLocation()
  const place = (to: string, label: string, leftSection: ReactNode, isHere: boolean) => (
    <NavLink
      component={Link}
      to={to}
      label={label}
      leftSection={leftSection}
      active={isHere}
      aria-current={isHere ? "page" : undefined}
      variant="filled"
      onClick={onChoose}
      my={2}
    />
  )
  return (
    <>
      {rule.role === "Admin" ? (
        <>
          <Text size="xs" fw={600} c="dimmed" px="sm" pt="xs">
            Users
          </Text>
          {place(PLACES.apiKeys, "API Keys", <KeyIcon />, pathname.startsWith(PLACES.apiKeys))}
        </>
      ) : undefined}
      <Text size="xs" fw={600} c="dimmed" px="sm" pt="sm">
        You
      </Text>
      {place(PLACES.ownKey, "Your key", <PersonIcon />, pathname === PLACES.ownKey)}
    </>
  )
}

const ColorSwitch = () => {
  const { setColorScheme } = useMantineColorScheme()
  const isDark = useComputedColorScheme("light") === "dark"
  return (
    <ActionIcon
      variant="default"
      size="lg"
      aria-label={isDark ? "Use light colours" : "Use dark colours"}
      onClick={() => setColorScheme(isDark ? "light" : "dark")}
    >
      {isDark ? <SunIcon /> : <MoonIcon />}
    </ActionIcon>
  )
}

const Identity = ({ leaving }: { readonly leaving: ReturnType<typeof useAction> }) => {
  const { name, rule } = useCaller()
  const queries = useQueryClient()
  const leave = (everywhere: boolean) => void leaving.run(() => signOut(queries, everywhere))
  return (
    <Menu position="bottom-end" width={260} withinPortal>
      <Menu.Target>
        <Button
          variant="default"
          loading={leaving.isRunning}
          maw={{ base: 190, sm: 320 }}
          rightSection={
            <Badge size="sm" variant="filled" tt="none">
              {rule.role}
            </Badge>
          }
        >
          <VisuallyHidden>Signed in with </VisuallyHidden>
          <Text span size="sm" truncate>
            {name}
          </Text>
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Signed in with the key {name}</Menu.Label>
        <Menu.Item component={Link} to={PLACES.ownKey}>
          Your key
        </Menu.Item>
        <Menu.Item onClick={() => leave(false)}>Sign out</Menu.Item>
        <Menu.Item onClick={() => leave(true)}>Sign out everywhere</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
