import { Text } from '@mantine/core'
import { t } from '../language/index.ts'
import { Block } from '../parts/index.ts'

interface ResultProps {
  readonly of: { readonly result: unknown } | undefined
}

/** What an act gave. */
export const Result = ({ of }: ResultProps) =>
  of === undefined ? null : (
    <div role="status">
      <Text size="sm" fw={600} mb={4}>
        {t('Done')}
      </Text>
      <Block value={of.result} />
    </div>
  )
