import { Badge, Group, Table, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { HealthCheck, MachineHealth } from '../../../src/machine.ts'
import { t } from '../language/index.ts'
import { Answer, Card, Inert, Quiet, SmallButton } from '../parts/index.ts'
import { durationOf } from '../words/duration.ts'
import { machineQuery } from './queries.ts'

/** What runs on the machine, and how well. */
export function Machine() {
  const machine = useQuery(machineQuery)
  return (
    <Answer of={machine}>
      {(found) => (
        <div className="halves">
          <Card isPart title={t('Services')}>
            <Services services={found.services} />
            <Models {...found} />
          </Card>
          <Card isPart title={t('Checks')}>
            {found.checks.map((check) => (
              <Check key={check.name} {...check} />
            ))}
            <Group>
              <SmallButton loading={machine.isFetching} onClick={() => void machine.refetch()}>
                {t('Look again')}
              </SmallButton>
            </Group>
          </Card>
        </div>
      )}
    </Answer>
  )
}

const Services = ({ services }: Pick<MachineHealth, 'services'>) =>
  services.length === 0 ? (
    <Quiet>{t('Nothing was started here: services of your own are seen where they run.')}</Quiet>
  ) : (
    <Table
      data={{
        body: services.map(({ name, pid, address, runs }) => [
          name,
          <Badge key="runs" color={runs ? 'leaf' : 'red'} miw={60}>
            {runs ? t('runs') : t('ended', { context: 'state' })}
          </Badge>,
          <Quiet key="address">{address}</Quiet>,
          <Quiet key="pid">{pid === null ? t('elsewhere') : t('process {{pid}}', { pid })}</Quiet>,
        ]),
      }}
    />
  )

function Models({ mind, connections, models, slowestBeat }: MachineHealth) {
  return (
    <>
      {Object.entries({ model: mind, ...connections }).map(([name, mind]) => (
        <Text key={name} size="sm">
          {name}:{' '}
          {mind === null ? (
            <span className="quiet">{t('none is connected; scripted beings and people need none')}</span>
          ) : (
            <Inert text={t('{{model}} at {{baseUrl}}', { model: mind.model, baseUrl: mind.baseUrl })} />
          )}
        </Text>
      ))}
      {models === null || models.calls === 0 ? null : (
        <Quiet>
          {t(
            '{{calls}} calls since the start, {{failures}} failed, {{lost}} lost, {{promptTokens}} tokens in, {{completionTokens}} out',
            {
              calls: models.calls,
              failures: models.failures,
              lost: models.lost,
              promptTokens: models.promptTokens,
              completionTokens: models.completionTokens,
            },
          )}
        </Quiet>
      )}
      {slowestBeat === null ? null : (
        <Quiet>
          {t('slowest: {{name}}, {{mean}} on average, 95 % within {{most}}', {
            name: slowestBeat.name,
            mean: durationOf(1000 * slowestBeat.meanSeconds),
            most: durationOf(1000 * slowestBeat.p95Seconds),
          })}
        </Quiet>
      )}
    </>
  )
}

const Check = ({ name, ok, found, mend, optional }: HealthCheck) => (
  <div>
    <Group gap="xs" wrap="nowrap" align="flex-start">
      <Badge color={ok ? 'leaf' : optional ? 'orange' : 'red'} miw={76}>
        {ok ? t('good') : optional ? t('warning') : t('wrong')}
      </Badge>
      <Text size="sm">
        <b>{name}</b> <Inert text={found} />
      </Text>
    </Group>
    {mend === null ? null : (
      <Text size="sm" pl={88} className="code">
        <Inert text={mend} />
      </Text>
    )}
  </div>
)
