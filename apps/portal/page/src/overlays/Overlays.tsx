import { Badge, Button, Group, Select, Stack, Text, Textarea, TextInput, Title } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api } from '../api/client.ts'
import { Dialog } from '../shell/Dialog.tsx'
import { Answer, Empty, Trouble } from '../shell/states.tsx'
import { Time } from '../shell/Time.tsx'
import { Inert } from '../text/Inert.tsx'
import { overlaysQuery } from './queries.ts'

interface Stored {
  readonly tier: string
  readonly name: string
  readonly scope?: string
  readonly content: string
  readonly appliesTo?: readonly string[]
  readonly setBy: string
  readonly setAt: string
  readonly inForce: boolean
}

/** The stored overlays that the person may read: text for later calls of models, never part of the record. */
export function Overlays() {
  const overlays = useQuery(overlaysQuery)
  const [editing, edit] = useState<Partial<Stored> | null>(null)
  return (
    <Stack gap="md">
      <Group justify="space-between">
        <div>
          <Title order={1}>Overlays</Title>
          <Text size="sm" className="quiet">
            How models are to approach their calls. An overlay grants nothing, and is never recorded.
          </Text>
        </div>
        <Button onClick={() => edit({})}>Set an overlay</Button>
      </Group>
      <Dialog
        opened={editing !== null}
        onClose={() => edit(null)}
        title={editing?.name === undefined ? 'Set an overlay' : 'Change the overlay'}
      >
        {editing === null ? null : <SetForm of={editing} onSet={() => edit(null)} />}
      </Dialog>
      <Answer of={overlays}>
        {(all) =>
          all.length === 0 ? (
            <Empty title="No overlay is stored">
              Set one of your account, of a channel that you began, or, as the operator, of the workspace. One
              of a single call or of a thread is given where you speak.
            </Empty>
          ) : (
            <Stack gap="sm">
              {all.map((one) => (
                <One key={`${one.tier} ${one.scope ?? ''} ${one.name}`} one={one} onEdit={() => edit(one)} />
              ))}
            </Stack>
          )
        }
      </Answer>
    </Stack>
  )
}

/** The channel of an overlay, where it has one. */
const channelOf = ({ tier, scope }: Partial<Stored>) =>
  tier === 'channel' && scope !== undefined ? { channel: scope } : {}

function One({ one, onEdit }: { readonly one: Stored; readonly onEdit: () => void }) {
  const queries = useQueryClient()
  const deleting = useMutation({
    mutationFn: () =>
      api.overlays.delete.$post({ json: { tier: one.tier, name: one.name, ...channelOf(one) } }),
    onSuccess: () => queries.invalidateQueries({ queryKey: overlaysQuery.queryKey }),
  })
  const { tier, name, scope, content, appliesTo, setBy, setAt, inForce } = one
  return (
    <section className="card" aria-label={`Overlay ${name}`}>
      <Stack gap="xs">
        <Group justify="space-between" align="flex-start">
          <Group gap={6}>
            <Text fw={600}>
              <Inert text={name} />
            </Text>
            <Badge variant="light" tt="none">
              {tier}
            </Badge>
            {scope === undefined ? null : (
              <Text size="sm" className="quiet">
                <Inert text={scope} />
              </Text>
            )}
            <Badge variant="outline" color={inForce ? 'leaf' : 'gray'} tt="none">
              {inForce ? 'in force' : 'another one is in force'}
            </Badge>
          </Group>
          <Group gap="xs">
            <Button size="xs" variant="default" onClick={onEdit}>
              Change
            </Button>
            <Button
              size="xs"
              variant="default"
              loading={deleting.isPending}
              onClick={() => deleting.mutate()}
            >
              Delete
            </Button>
          </Group>
        </Group>
        <div className="block">
          <Inert text={content} />
        </div>
        <Text size="xs" className="quiet">
          set by {setBy}, <Time iso={setAt} /> · for {appliesTo?.join(', ') ?? 'the entry Signature'}
        </Text>
        <Trouble error={deleting.error} />
      </Stack>
    </section>
  )
}

const TIERS = [
  { value: 'account', label: 'account: what you begin' },
  { value: 'channel', label: 'channel: a conversation that you began' },
  { value: 'workspace', label: 'workspace: the whole reality' },
]

function SetForm({ of, onSet }: { readonly of: Partial<Stored>; readonly onSet: () => void }) {
  const [tier, setTier] = useState(of.tier ?? 'account')
  const [name, setName] = useState(of.name ?? '')
  const [channel, setChannel] = useState(channelOf(of).channel ?? '')
  const [content, setContent] = useState(of.content ?? '')
  const [signatures, setSignatures] = useState(of.appliesTo?.join(' ') ?? '')
  const isNew = of.name === undefined
  const queries = useQueryClient()
  const setting = useMutation({
    gcTime: 0,
    mutationFn: () => {
      const appliesTo = signatures.split(/[\s,]+/).filter((one) => one !== '')
      return api.overlays.$post({
        json: {
          tier,
          name,
          content,
          ...(tier === 'channel' && channel !== '' ? { channel } : {}),
          ...(appliesTo.length === 0 ? {} : { appliesTo }),
        },
      })
    },
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: overlaysQuery.queryKey })
      onSet()
    },
  })
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    setting.mutate()
  }
  return (
    <form onSubmit={onSubmit}>
      <Stack gap="sm">
        <Select
          label="For"
          data={TIERS}
          allowDeselect={false}
          disabled={!isNew}
          value={tier}
          onChange={(next) => setTier(next ?? 'account')}
        />
        <TextInput
          label="Name"
          required
          withAsterisk={false}
          disabled={!isNew}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        {tier === 'channel' ? (
          <TextInput
            label="Channel"
            description="Left out: the channel with that name"
            disabled={!isNew}
            value={channel}
            onChange={(event) => setChannel(event.currentTarget.value)}
          />
        ) : null}
        <Textarea
          label="Text"
          description="At most 8 KiB"
          required
          withAsterisk={false}
          autosize
          minRows={4}
          maxRows={16}
          value={content}
          onChange={(event) => setContent(event.currentTarget.value)}
        />
        <TextInput
          label="Signatures"
          description="That it attaches to, separated by spaces; left out: the entry Signature of what is dispatched"
          value={signatures}
          onChange={(event) => setSignatures(event.currentTarget.value)}
        />
        <Trouble error={setting.error} />
        <Button type="submit" loading={setting.isPending}>
          Store it
        </Button>
      </Stack>
    </form>
  )
}
