import { Button, Group, Popover, Stack, Text } from '@mantine/core'
import { t } from '../language/index.ts'
import { CopyText } from '../parts/index.ts'

/**
 * How to go on from here in another way. A branch is a reality with servers of its own, which the portal may
 * not start: so it names the command for the operator of the machine.
 * @param at stance and number of the moment, as `treeos fork` takes them
 */
export function Branch({ at }: { readonly at: string }) {
  const command = `treeos fork NAME --at ${at}`
  return (
    <Popover width={340} position="bottom-end" withArrow trapFocus>
      <Popover.Target>
        <Button size="xs" variant="subtle">
          {t('Branch here')}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap="xs">
          <Text size="sm">
            {t(
              'A branch is a reality of its own, with the same record up to this moment. Whoever runs this one makes it on its machine:',
            )}
          </Text>
          <span className="code inert">{command}</span>
          <Group>
            <CopyText text={command} />
          </Group>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  )
}
