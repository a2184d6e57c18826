import { Center, Paper, Stack, Title } from '@mantine/core'
import type { ReactNode } from 'react'

/** A page without anything around it. */
export const Door = ({ title, children }: { readonly title: string; readonly children: ReactNode }) => (
  <Center component="main" mih="100vh" p="md">
    <Paper withBorder p="xl" w="100%" maw={400} className="card">
      <Stack>
        <img src="/tree.svg" width={36} height={36} alt="" />
        <Title order={1}>{title}</Title>
        {children}
      </Stack>
    </Paper>
  </Center>
)
