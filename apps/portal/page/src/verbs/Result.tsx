import { Text } from '@mantine/core'
import { Block } from '../parts/index.ts'

interface Props {
  readonly of: { readonly data: { readonly result: unknown } | undefined }
}

/** What an act gave. */
export const Result = ({ of: { data } }: Props) =>
  data === undefined ? null : (
    <div role="status">
      <Text size="sm" fw={600} mb={4}>
        Done
      </Text>
      <Block value={data.result} />
    </div>
  )
