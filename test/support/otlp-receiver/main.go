// The OTLP receiver of the OpenTelemetry Collector: what it takes it prints, one line of JSON for each request.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"sync"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/receiver"
	"go.opentelemetry.io/collector/receiver/otlpreceiver"
)

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func main() {
	factory := otlpreceiver.NewFactory()
	config := factory.CreateDefaultConfig()
	protocols := map[string]any{"http": map[string]any{"endpoint": os.Args[1]}}
	check(confmap.NewFromStringMap(map[string]any{"protocols": protocols}).Unmarshal(config))
	settings := receiver.Settings{
		ID:                component.NewID(factory.Type()),
		TelemetrySettings: componenttest.NewNopTelemetrySettings(),
	}
	var printing sync.Mutex
	line := func(json []byte, err error) error {
		printing.Lock()
		defer printing.Unlock()
		if err == nil {
			fmt.Println(string(json))
		}
		return err
	}
	traces, err := consumer.NewTraces(func(_ context.Context, traces ptrace.Traces) error {
		return line((&ptrace.JSONMarshaler{}).MarshalTraces(traces))
	})
	check(err)
	metrics, err := consumer.NewMetrics(func(_ context.Context, metrics pmetric.Metrics) error {
		return line((&pmetric.JSONMarshaler{}).MarshalMetrics(metrics))
	})
	check(err)
	background := context.Background()
	tracesReceiver, err := factory.CreateTraces(background, settings, config, traces)
	check(err)
	metricsReceiver, err := factory.CreateMetrics(background, settings, config, metrics)
	check(err)
	check(tracesReceiver.Start(background, componenttest.NewNopHost()))
	check(metricsReceiver.Start(background, componenttest.NewNopHost()))
	fmt.Println(`{"listening":true}`)
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, os.Interrupt)
	<-ended
}
