import { Anchor, Group, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { DeedBody } from '../api/deed.ts'
import { InhabitLink } from '../inhabit/InhabitLink.tsx'
import { Trans } from '../language/index.ts'

interface BornLastProps {
  /** the act that bore it */
  readonly of: { readonly isSuccess: boolean; readonly variables: DeedBody | undefined }
}

/** The child that was born last, and what comes next. */
export function BornLast({ of: { isSuccess, variables } }: BornLastProps) {
  if (!isSuccess || variables === undefined) return null
  const { name } = variables.args as { readonly name: string }
  return (
    <div className="block" role="status">
      <Group justify="space-between">
        <Text size="sm">
          <Trans
            text="<anchor/> was born."
            parts={{
              anchor: (
                <Anchor component={Link} to={`/beings/${name}`} fw={600} size="sm">
                  @{name}
                </Anchor>
              ),
            }}
          />
        </Text>
        <InhabitLink name={name} />
      </Group>
    </div>
  )
}
