import './asked.css'
import { Text } from '@mantine/core'
import { Fragment } from 'react'
import { Block, Inert } from '../parts/index.ts'
import { partsOf } from './call-parts.ts'

/** What a call is made with: amounts large, words in lines, and all else as it stands. */
export function CallArguments({ given }: { readonly given: unknown }) {
  const { amounts, lines, rest } = partsOf(given)
  return (
    <>
      {amounts.map(([name, amount]) => (
        <Text key={name} className="asked-amount">
          <Inert text={`${name} ${amount}`} />
        </Text>
      ))}
      {lines.length === 0 ? null : (
        <dl className="asked-lines">
          {lines.map(([name, value]) => (
            <Fragment key={name}>
              <dt className="quiet">
                <Inert text={name} />
              </dt>
              <dd>
                <Inert text={value} />
              </dd>
            </Fragment>
          ))}
        </dl>
      )}
      {rest === null ? null : <Block value={rest} />}
    </>
  )
}
