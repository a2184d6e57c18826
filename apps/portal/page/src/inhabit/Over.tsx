import { Button, Group, Text } from '@mantine/core'
import { type DrivenBeing, forgetDriven } from '../api/tab.ts'
import { Door } from '../door/Door.tsx'
import { Inert } from '../parts/index.ts'

/**
 * In place of every page of a tab whose lease ended: what is done next must not be done as somebody else
 * unnoticed.
 */
export const Over = ({ tab }: { readonly tab: DrivenBeing }) => (
  <Door title={`${tab.being} is its own again`}>
    <Text>
      <Inert text={`${(tab.over ?? '').replace(/^./, (first) => first.toUpperCase())}.`} /> Nothing more is
      done as {tab.being} in this tab.
    </Text>
    <Group gap="sm">
      <Button onClick={() => window.close()}>Close this tab</Button>
      <Button
        variant="default"
        onClick={() => {
          forgetDriven()
          location.assign(`/beings/${tab.being.slice(1)}`)
        }}
      >
        Go on as yourself
      </Button>
    </Group>
  </Door>
)
