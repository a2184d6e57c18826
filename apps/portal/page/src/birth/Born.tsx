import { Anchor, Button, Group, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'

/** A child that was just born, and what comes next. */
export const Born = ({ name }: { readonly name: string }) => (
  <div className="block" role="status">
    <Group justify="space-between">
      <Text size="sm">
        <Anchor component={Link} to={`/beings/${name}`} fw={600} size="sm">
          @{name}
        </Anchor>{' '}
        was born.
      </Text>
      <Button
        size="xs"
        variant="default"
        component="a"
        href={`/inhabit/${name}`}
        target="_blank"
        rel="opener"
      >
        Inhabit (new tab)
      </Button>
    </Group>
  </div>
)
