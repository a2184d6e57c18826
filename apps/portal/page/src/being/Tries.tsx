import { Text } from '@mantine/core'
import { Card, Inert } from '../parts/index.ts'
import { callText } from '../words/tell.ts'
import type { MomentView } from './moment-words.ts'

/** What its model called before, and was refused. */
export const Tries = ({ tries = [] }: Pick<NonNullable<MomentView['explained']>, 'tries'>) =>
  tries.length === 0 ? null : (
    <Card title="What it tried before">
      {tries.map(({ call, message }, i) => (
        <Text key={i} size="sm">
          <Inert text={call === null ? 'a call that could not be read' : callText(call)} />:{' '}
          <Inert text={message} />
        </Text>
      ))}
    </Card>
  )
