import { Menu } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { FoundBy } from '../api/deed.ts'
import type { threadQuery } from '../api/queries.ts'
import { sessionQuery } from '../api/queries.ts'
import { t } from '../language/index.ts'
import { SmallButton } from '../parts/index.ts'
import { escaped } from '../text/unseen-text.ts'
import { download, fileNameOf } from './download.ts'
import { threadText } from './thread-text.ts'

/** Saves a thread as a file, or prints it. Both hold what the page shows to the person. */
export function ThreadExport({ of: thread }: { readonly of: FoundBy<ReturnType<typeof threadQuery>> }) {
  const { data: session } = useQuery(sessionQuery)
  const name = fileNameOf('thread', ...thread.participants, thread.began.slice(0, 10))
  const leave = (type: 'application/json' | 'text/markdown', end: string, text: string) => () =>
    download(`${name}.${end}`, type, text)
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <SmallButton variant="subtle" className="on-screen">
          {t('Export')}
        </SmallButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={leave('text/markdown', 'md', threadText(thread, session?.reality ?? ''))}>
          {t('As Markdown')}
        </Menu.Item>
        <Menu.Item
          onClick={leave('application/json', 'json', `${escaped(JSON.stringify(thread, null, 2))}\n`)}
        >
          {t('As JSON')}
        </Menu.Item>
        <Menu.Item onClick={() => print()}>{t('Print')}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
