import { Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { api } from '../api/client.ts'
import { asking } from '../api/deed.ts'
import { Trans, t } from '../language/index.ts'
import { Answer, BeingLink, Block, DialogButton, Inert, Quiet } from '../parts/index.ts'
import { GivenFile } from '../words/GivenFiles.tsx'

const thingQuery = (id: string) =>
  asking(['thing', id], api.see.$get, { query: { address: `matter:${id}` } }, { staleTime: 0 })

/** A thing by its name; a press shows what it is, where it comes from and what it holds. */
export const Thing = ({ id }: { readonly id: string }) => (
  <DialogButton isSmall label={id} title={id}>
    <ThingInside id={id} />
  </DialogButton>
)

function ThingInside({ id }: { readonly id: string }) {
  const thing = useQuery(thingQuery(id))
  return (
    <Answer of={thing}>
      {({ type, owner, address, outside, content, qualities }) => (
        <Stack gap="sm">
          <Text size="sm">
            <Trans
              text="<thing/> in <space/>"
              parts={{ thing: <Inert text={type} />, space: <Inert text={address.path} /> }}
            />
            {owner == null ? null : (
              <>
                {' · '}
                <Trans text="of <being/>" parts={{ being: <BeingLink stance={owner} /> }} />
              </>
            )}
            {outside === true ? ` · ${t('it holds words from outside')}` : ''}
          </Text>
          {isFile(content) ? (
            <GivenFile id={id} told={null} />
          ) : content == null ? (
            <Quiet>{t('It holds nothing.')}</Quiet>
          ) : (
            <Block value={content} />
          )}
          {Object.keys(qualities).length === 0 ? null : <Block value={qualities} />}
        </Stack>
      )}
    </Answer>
  )
}

/** Its bytes are asked for by themselves. */
const isFile = (content: unknown): boolean =>
  typeof content === 'object' && content !== null && 'file' in content
