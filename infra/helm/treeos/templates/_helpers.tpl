{{- define "treeos.name" -}}
{{- printf "%s-treeos" .Release.Name | trunc 52 | trimSuffix "-" }}
{{- end }}

{{- define "treeos.selector" -}}
app.kubernetes.io/name: treeos
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- end }}

{{- define "treeos.labels" -}}
{{ include "treeos.selector" . }}
app.kubernetes.io/version: {{ .Chart.Version | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "treeos.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ .Values.image.tag }}
{{- end -}}
{{- end }}

{{- define "treeos.podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{- define "treeos.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: ["ALL"]
{{- end }}

{{/* Where Temporal is, and the credential. A variable never holds a certificate: those are files. */}}
{{- define "treeos.temporalEnv" -}}
- name: TEMPORAL_ADDRESS
  value: {{ .Values.temporal.address | quote }}
- name: TEMPORAL_NAMESPACE
  value: {{ .Values.temporal.namespace | quote }}
{{- with .Values.temporal.serverName }}
- name: TEMPORAL_TLS_SERVER_NAME
  value: {{ . | quote }}
{{- end }}
{{- if eq .Values.temporal.auth "apiKey" }}
- name: TEMPORAL_API_KEY
  valueFrom:
    secretKeyRef:
      name: {{ .Values.temporal.secret | quote }}
      key: api-key
{{- end }}
{{- if eq .Values.temporal.auth "mtls" }}
- name: TEMPORAL_TLS_CLIENT_CERT_PATH
  value: /secrets/temporal/tls.crt
- name: TEMPORAL_TLS_CLIENT_KEY_PATH
  value: /secrets/temporal/tls.key
{{- end }}
{{- if .Values.temporal.ownAuthority }}
- name: TEMPORAL_TLS_SERVER_CA_CERT_PATH
  value: /secrets/temporal/ca.crt
{{- end }}
{{- end }}

{{- define "treeos.hasTemporalFiles" -}}
{{- if or (eq .Values.temporal.auth "mtls") .Values.temporal.ownAuthority }}yes{{ end }}
{{- end }}

{{/* The login of workers, and what both the workers and the job of migrations read. */}}
{{- define "treeos.commonEnv" -}}
- name: DATABASE_URL
  valueFrom:
    secretKeyRef:
      name: {{ .Values.postgres.secret | quote }}
      key: worker-url
{{ include "treeos.sharedEnv" . }}
{{- end }}

{{/* What the portal reads too. */}}
{{- define "treeos.sharedEnv" -}}
{{ include "treeos.temporalEnv" . }}
- name: TREEOS_LOG
  value: {{ .Values.log | quote }}
{{- with .Values.extensions }}
- name: TREEOS_EXTENSIONS
  value: {{ join "," . | quote }}
{{- end }}
{{- range $name, $value := .Values.env }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- end }}

{{- define "treeos.mounts" -}}
- name: tmp
  mountPath: /tmp
{{- if include "treeos.hasTemporalFiles" . }}
- name: temporal
  mountPath: /secrets/temporal
  readOnly: true
{{- end }}
{{- end }}

{{- define "treeos.volumes" -}}
- name: tmp
  emptyDir:
    sizeLimit: 256Mi
{{- if include "treeos.hasTemporalFiles" . }}
- name: temporal
  secret:
    secretName: {{ .Values.temporal.secret | quote }}
    defaultMode: 0440
{{- end }}
{{- end }}

{{/* Where a pod may run, and what it may do; for each kind of pod. */}}
{{- define "treeos.podSettings" -}}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  {{- include "treeos.podSecurity" . | nindent 2 }}
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . | quote }}
  {{- end }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "treeos.portal" -}}
{{ include "treeos.name" . }}-portal
{{- end }}

{{/* Names by which browsers, and programs in the cluster, reach the portal. Links have the first one. */}}
{{- define "treeos.portalHosts" -}}
{{- $hosts := .Values.portal.hosts }}
{{- if .Values.portal.ingress.enabled }}
{{- $hosts = prepend $hosts (printf "%s://%s" (ternary "https" "http" (ne .Values.portal.ingress.tlsSecret "")) .Values.portal.ingress.host) }}
{{- end }}
{{- if not $hosts }}
{{- $hosts = list "http://localhost:7438" }}
{{- end }}
{{- join "," (append $hosts (printf "http://%s.%s.svc:7438" (include "treeos.portal" .) .Release.Namespace)) }}
{{- end }}
