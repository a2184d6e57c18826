import { Group, Title } from '@mantine/core'
import { type ReactNode, useEffect } from 'react'
import { seen } from '../text/unseen-text.ts'
import { Inert } from './Inert.tsx'
import { Quiet } from './small.ts'
import { showInTab } from './tab-title.ts'

interface PageHeadProps {
  readonly title: ReactNode
  /** what it is in, beside the title */
  readonly trailing?: ReactNode
  /** what the page is for */
  readonly children?: ReactNode
  /** the button of what is done most here */
  readonly action?: ReactNode
}

/** The head of a page. A title of plain text is also that of the tab of the browser. */
export function PageHead({ title, trailing, children, action }: PageHeadProps) {
  useEffect(() => {
    if (typeof title === 'string') showInTab({ title: `${seen(title)} · TreeOS` })
  }, [title])
  return (
    <Group justify="space-between" align="flex-start">
      <div className="grows">
        <Group gap="xs" align="baseline">
          <Title order={1}>{typeof title === 'string' ? <Inert text={title} /> : title}</Title>
          {trailing}
        </Group>
        {children === undefined ? null : <Quiet component="div">{children}</Quiet>}
      </div>
      {action}
    </Group>
  )
}
