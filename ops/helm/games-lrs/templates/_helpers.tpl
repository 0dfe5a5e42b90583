{{- define "games-lrs.name" -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- end }}

{{- define "games-lrs.selector" -}}
app.kubernetes.io/name: games-lrs
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .process }}
{{- end }}

{{- define "games-lrs.labels" -}}
{{ include "games-lrs.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ .root.Chart.Name }}-{{ .root.Chart.Version }}
{{- end }}

{{- define "games-lrs.image" -}}
image: {{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
{{- end }}

{{/* What all pods of ours have: no rights, nothing to write but what is named. */}}
{{- define "games-lrs.pod" -}}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile: { type: RuntimeDefault }
{{- with .Values.image.pullSecrets }}
imagePullSecrets: {{- range . }}
  - name: {{ . }}
{{- end }}
{{- end }}
{{- end }}

{{- define "games-lrs.container" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
{{- end }}

{{/* An environment variable from a Secret: list of its name, the Secret and the key. */}}
{{- define "games-lrs.secret" -}}
- name: {{ index . 0 }}
  valueFrom: { secretKeyRef: { name: {{ index . 1 }}, key: {{ index . 2 }} } }
{{- end }}

{{/* DATABASE_URL. */}}
{{- define "games-lrs.database" -}}
{{- $pg := .Values.database.cloudnativepg.enabled -}}
{{- if eq (not $pg) (empty .Values.database.existingSecret) -}}
{{- fail "Set either database.existingSecret or database.cloudnativepg.enabled." -}}
{{- end -}}
{{- $secret := ternary (printf "%s-postgres-app" (include "games-lrs.name" .)) .Values.database.existingSecret $pg -}}
{{ include "games-lrs.secret" (list "DATABASE_URL" $secret (ternary "uri" .Values.database.key $pg)) }}
{{- end }}

{{- define "games-lrs.env" -}}
{{- $v := .root.Values -}}
{{- $core := printf "%s-core" (include "games-lrs.name" .root) -}}
{{- $http := ternary "https" "http" $v.tls.enabled -}}
- { name: {{ upper .process }}_HOST, value: 0.0.0.0 }
- { name: {{ upper .process }}_METRICS_PORT, value: '9180' }
- { name: LRS_METRICS_HOST, value: 0.0.0.0 }
{{- if eq .process "core" }}
{{ include "games-lrs.database" .root }}
- { name: LRS_TENANCY, value: {{ $v.tenancy }} }
{{- range list "signing_key" "secret_keys" "service_tokens" }}
{{ include "games-lrs.secret" (list (printf "LRS_%s" (upper .)) $v.existingSecret .) }}
{{- end }}
{{- else }}
{{ include "games-lrs.secret" (list "LRS_SERVICE_TOKEN" $v.existingSecret (printf "%s_token" .process)) }}
- { name: LRS_TRUST_PROXY, value: {{ $v.trustProxy | quote }} }
{{- end }}
{{- if eq .process "gateway" }}
- { name: CORE_RELAY_URL, value: '{{ $http }}://{{ $core }}:8083' }
{{- else }}
{{- /* for core: so that the command line works in its container */}}
- { name: CORE_URL, value: '{{ $http }}://{{ ternary "127.0.0.1" $core (eq .process "core") }}:8082' }
- { name: LRS_PORTAL_URL, value: {{ $v.urls.portal | quote }} }
- { name: LRS_XAPI_URL, value: {{ $v.urls.xapi | quote }} }
- { name: LRS_GAMES_URL, value: {{ $v.urls.games | quote }} }
- { name: LRS_STORAGE, value: {{ ternary "s3" "local" (eq $v.storage.kind "s3") }} }
{{- if eq $v.storage.kind "s3" }}
- { name: LRS_S3_ENDPOINT, value: {{ required "storage.s3.endpoint is needed" $v.storage.s3.endpoint | quote }} }
- { name: LRS_S3_BUCKET, value: {{ required "storage.s3.bucket is needed" $v.storage.s3.bucket | quote }} }
- { name: LRS_S3_REGION, value: {{ $v.storage.s3.region | quote }} }
{{ include "games-lrs.secret" (list "LRS_S3_ACCESS_KEY" $v.existingSecret "s3_access_key") }}
{{ include "games-lrs.secret" (list "LRS_S3_SECRET_KEY" $v.existingSecret "s3_secret_key") }}
{{- else }}
- { name: LRS_STORAGE_DIR, value: /data/storage }
{{- if ne .process "player" }}
{{ include "games-lrs.secret" (list "LRS_STORAGE_KEY" $v.existingSecret "storage_key") }}
{{- end }}
{{- end }}
{{- end }}
{{- if $v.tls.enabled }}
- { name: LRS_CORE_CA_FILE, value: /tls/ca.crt }
- { name: LRS_CORE_NAME, value: {{ $v.tls.name | default $core }} }
{{- if $v.tls.callerSecret }}
- { name: LRS_CORE_CERT_FILE, value: /tls/tls.crt }
- { name: LRS_CORE_KEY_FILE, value: /tls/tls.key }
{{- end }}
{{- if eq .process "core" }}
- { name: CORE_TLS_CERT_FILE, value: /tls/tls.crt }
- { name: CORE_TLS_KEY_FILE, value: /tls/tls.key }
{{- if $v.tls.callerSecret }}
- { name: CORE_TLS_CLIENT_CA_FILE, value: /tls/ca.crt }
{{- end }}
{{- end }}
{{- end }}
{{- range $name, $value := (index $v .process).env }}
- { name: {{ $name }}, value: {{ $value | quote }} }
{{- end }}
{{- end }}

{{/* Core is alive while it takes connections: without a database a restart would not help. */}}
{{- define "games-lrs.probes" -}}
{{- if eq .process "core" -}}
startupProbe: { tcpSocket: { port: core }, periodSeconds: 2, failureThreshold: 150 }
livenessProbe: { tcpSocket: { port: core }, periodSeconds: 10, failureThreshold: 6 }
{{- if .root.Values.tls.enabled }}
readinessProbe: { exec: { command: [node, start/healthy.ts, core] }, periodSeconds: 10, timeoutSeconds: 5 }
{{- else }}
readinessProbe: { grpc: { port: 8082 }, periodSeconds: 5, timeoutSeconds: 4 }
{{- end }}
{{- else -}}
startupProbe: { httpGet: { path: /healthz, port: http }, periodSeconds: 2, failureThreshold: 60 }
livenessProbe: { httpGet: { path: /healthz, port: http }, periodSeconds: 10, timeoutSeconds: 5, failureThreshold: 6 }
readinessProbe: { httpGet: { path: /readyz, port: http }, periodSeconds: 5, timeoutSeconds: 4 }
{{- end }}
{{- end }}

{{- define "games-lrs.ports" -}}
{{- if eq .process "core" -}}
- { name: core, port: 8082 }
- { name: relay, port: 8083 }
{{- else -}}
- { name: http, port: {{ get (dict "gateway" 8080 "portal" 8081 "player" 8084) .process }} }
{{- end }}
- { name: metrics, port: 9180 }
{{- end }}
