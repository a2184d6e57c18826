import type { ReactElement } from 'react'
import { Trans as CatalogueTrans } from 'react-i18next/TransWithoutContext'
import { catalogue, type TextValues } from './text.ts'

interface TransProps {
  /** its English; `<name>words</name>` and `<name/>` stand for parts */
  readonly text: string
  readonly values?: TextValues
  readonly parts: Readonly<Record<string, ReactElement>>
}

/** A text with links, names or code in it. */
export const Trans = ({ text, values, parts }: TransProps) => (
  <CatalogueTrans
    i18n={catalogue}
    i18nKey={text}
    values={values}
    count={values?.count as number}
    components={parts}
  />
)
