import { Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { reachQuery } from '../api/queries.ts'
import { t } from '../language/index.ts'
import { Composer } from '../overlays/Composer.tsx'
import { Card, Dialog, Quiet } from '../parts/index.ts'
import type { SessionFound } from '../shell/navigation.ts'

interface FirstStepsProps {
  readonly uses: SessionFound['uses']
  readonly stance: string
}

/** What this is, and three things to try. */
export function FirstSteps({ uses, stance }: FirstStepsProps) {
  const { data: reach } = useQuery(reachQuery)
  const company =
    reach?.surface.canSummon.filter(
      (entry): entry is string =>
        typeof entry === 'string' && /^@[a-z][a-z0-9-]*$/.test(entry) && entry !== stance,
    ) ?? []
  const [someone] = company
  return (
    <Card isPart title={t('What this is')}>
      <Text size="sm">
        {t(
          'Beings live here: some are people, some are models, some are scripts. Each acts only when something wakes it, in the role that fits the moment, and each thing it does is kept with the reason why.',
        )}
      </Text>
      {company.length < 2 ? null : (
        <Text size="sm">{t('You may speak to {{names}}.', { names: namesOf(company) })}</Text>
      )}
      <div className="tiles">
        {someone === undefined ? (
          <Speak />
        ) : (
          <Link to="/beings/$name" params={{ name: someone.slice(1) }} className="card tile">
            <Text size="sm" fw={600}>
              {t('Speak to {{someone}}', { someone })}
            </Text>
            <Quiet>{t('Ask it anything. The answer comes to your inbox.')}</Quiet>
          </Link>
        )}
        <Tile
          to="/world"
          title={t('Look around')}
          of={t('The spaces, who is in them, and what each said last.')}
        />
        {uses.births ? (
          <Tile to="/birth" title={t('Bring a being to life')} of={t('Give it a name, a role and a home.')} />
        ) : (
          <Tile
            to="/inbox"
            title={t('See what waits for you')}
            of={t('Questions and answers come to your inbox.')}
          />
        )}
      </div>
    </Card>
  )
}

const NAMED_MAX = 5

/** `@ann, @bob and 3 more` */
function namesOf(stances: readonly string[]): string {
  const [named, more] = [stances.slice(0, NAMED_MAX), stances.length - NAMED_MAX]
  return more > 0 ? t('{{named}} and {{more}} more', { named: named.join(', '), more }) : named.join(', ')
}

/** For who may speak to many: it asks whom. */
function Speak() {
  const [isOpen, { open, close }] = useDisclosure()
  return (
    <>
      <button type="button" className="card tile" onClick={open}>
        <Text size="sm" fw={600}>
          {t('Speak to a being')}
        </Text>
        <Quiet>{t('Ask it anything. The answer comes to your inbox.')}</Quiet>
      </button>
      <Dialog opened={isOpen} onClose={close} title={t('Speak to a being')}>
        <Composer />
      </Dialog>
    </>
  )
}

interface TileProps {
  readonly to: '/world' | '/birth' | '/inbox'
  readonly title: string
  readonly of: string
}

const Tile = ({ to, title, of }: TileProps) => (
  <Link to={to} className="card tile">
    <Text size="sm" fw={600}>
      {title}
    </Text>
    <Quiet>{of}</Quiet>
  </Link>
)
