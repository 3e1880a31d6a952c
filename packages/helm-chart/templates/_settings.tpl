{{- /* Whether the chart makes a Secret of keys itself: also of none, so that the first key needs no new pod. */ -}}
{{- define "quarterdeck.hasOwnKeys" -}}
{{- if or .Values.apiKeys.keys (not .Values.apiKeys.secretName) }}true{{ end -}}
{{- end -}}

{{- /* The settings of the user, with those that follow from how the chart mounts things. JSON is YAML in which no text can be taken for something else. */ -}}
{{- define "quarterdeck.settings" -}}
{{- $files := list -}}
{{- if include "quarterdeck.hasOwnKeys" . -}}
{{- $files = append $files "/etc/quarterdeck/keys/chart/keys" -}}
{{- end -}}
{{- if .Values.apiKeys.secretName -}}
{{- $files = append $files "/etc/quarterdeck/keys/secret/keys" -}}
{{- end -}}
{{- $keys := dict "file" $files -}}
{{- if .Values.bootstrapKey.enabled -}}
{{- $_ := set $keys "bootstrapFile" "/var/lib/quarterdeck/data/first-key" -}}
{{- end -}}
{{- $made := dict "keys" $keys -}}
{{- $clusters := dict -}}
{{- if .Values.kubeconfigs.secretName -}}
{{- $kubeconfigs := list -}}
{{- range .Values.kubeconfigs.entries -}}
{{- $kubeconfigs = append $kubeconfigs (printf "/etc/quarterdeck/kubeconfigs/%s" .) -}}
{{- end -}}
{{- $_ := set $clusters "kubeconfig" $kubeconfigs -}}
{{- end -}}
{{- if .Values.clusterSecret.secretName -}}
{{- $_ := set $clusters "secretFile" (printf "/etc/quarterdeck/cluster-secret/%s" .Values.clusterSecret.entry) -}}
{{- end -}}
{{- if $clusters -}}
{{- $_ := set $made "clusters" $clusters -}}
{{- end -}}
{{- if .Values.tls.secretName -}}
{{- $_ := set $made "server" (dict "tls" (dict "certFile" "/etc/quarterdeck/tls/tls.crt" "keyFile" "/etc/quarterdeck/tls/tls.key")) -}}
{{- end -}}
{{- if .Values.oidc.secretName -}}
{{- $_ := set $made "oidc" (dict "clientSecretFile" (printf "/etc/quarterdeck/oidc/%s" .Values.oidc.entry)) -}}
{{- end -}}
{{- toPrettyJson (mergeOverwrite (deepCopy .Values.settings) $made) -}}
{{- end -}}

{{- /* What of the settings' text rolls the pod: all of it, since the server reads it once. */ -}}
{{- define "quarterdeck.settingsChecksum" -}}
{{- include "quarterdeck.settings" . | sha256sum -}}
{{- end -}}

{{- /* How long the pod has to stop: what requests in flight may take, and as long again to write and close. */ -}}
{{- define "quarterdeck.graceSeconds" -}}
{{- $server := default dict .Values.settings.server -}}
{{- $shutdownMs := 10000 -}}
{{- if hasKey $server "shutdownMs" -}}{{- $shutdownMs = int64 $server.shutdownMs -}}{{- end -}}
{{- add (div (add $shutdownMs 999) 1000) 10 -}}
{{- end -}}
