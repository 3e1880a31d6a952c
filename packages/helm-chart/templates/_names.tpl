{{- define "quarterdeck.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{- /* At most 52 characters: with suffixes, and the "-0" and revision that the StatefulSet adds, a name must fit into 63. */ -}}
{{- define "quarterdeck.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 52 | trimSuffix "-" -}}
{{- else -}}
{{- $name := include "quarterdeck.name" . -}}
{{- if contains $name .Release.Name -}}
{{- .Release.Name | trunc 52 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 52 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- /* The name of cluster-wide objects. It includes the namespace, since another namespace may have a release of the same name. */ -}}
{{- define "quarterdeck.clusterName" -}}
{{- printf "%s:%s" .Release.Namespace (include "quarterdeck.fullname" .) -}}
{{- end -}}

{{- /* The Secret that the chart creates from apiKeys.keys. */ -}}
{{- define "quarterdeck.ownSecret" -}}
{{- printf "%s-keys" (include "quarterdeck.fullname" .) -}}
{{- end -}}

{{- define "quarterdeck.serviceAccountName" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "quarterdeck.fullname" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- default "default" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{- define "quarterdeck.selector" -}}
app.kubernetes.io/name: {{ include "quarterdeck.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "quarterdeck.labels" -}}
{{ include "quarterdeck.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
{{- end -}}

{{- define "quarterdeck.image" -}}
{{- if .Values.image.digest -}}
{{- printf "%s@%s" .Values.image.repository .Values.image.digest -}}
{{- else -}}
{{- printf "%s:%s" .Values.image.repository (default .Chart.AppVersion .Values.image.tag) -}}
{{- end -}}
{{- end -}}

{{- define "quarterdeck.scheme" -}}
{{- if .Values.tls.secretName }}https{{ else }}http{{ end -}}
{{- end -}}
