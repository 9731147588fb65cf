import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('town', '0003_crowded'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Heard',
            fields=[
                ('game', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='+', serialize=False, to='town.game')),
                ('n', models.PositiveIntegerField(default=0)),
            ],
        ),
        migrations.CreateModel(
            name='Device',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('endpoint', models.CharField(max_length=600, unique=True)),
                ('p256dh', models.CharField(max_length=100)),
                ('auth', models.CharField(max_length=40)),
                ('name', models.CharField(max_length=60)),
                ('made_at', models.DateTimeField()),
                ('account', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='devices', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ('pk',),
            },
        ),
        migrations.CreateModel(
            name='Diary',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('nonce', models.CharField(max_length=64)),
                ('fingerprint', models.CharField(max_length=64, unique=True)),
                ('made_at', models.DateTimeField()),
                ('account', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='diary', to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.CreateModel(
            name='Ways',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('mail', models.JSONField(default=list)),
                ('push', models.JSONField(default=list)),
                ('through', models.JSONField(default=list)),
                ('quiet_from', models.PositiveSmallIntegerField(null=True)),
                ('quiet_to', models.PositiveSmallIntegerField(null=True)),
                ('before', models.PositiveSmallIntegerField(default=60)),
                ('account', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='ways', to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.CreateModel(
            name='Limit',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('uid', models.CharField(max_length=60)),
                ('begins', models.DateTimeField()),
                ('ends', models.DateTimeField()),
                ('sequence', models.PositiveIntegerField(default=0)),
                ('changed', models.DateTimeField()),
                ('game', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='town.game')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('game', 'uid'), name='limit_once')],
            },
        ),
        migrations.CreateModel(
            name='Notice',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('channel', models.CharField(max_length=4)),
                ('key', models.CharField(max_length=64, unique=True)),
                ('kind', models.CharField(max_length=16)),
                ('about', models.BigIntegerField(default=0)),
                ('day', models.PositiveIntegerField(default=0)),
                ('seat', models.PositiveIntegerField(default=0)),
                ('room', models.CharField(blank=True, max_length=20)),
                ('path', models.CharField(max_length=200)),
                ('not_before', models.DateTimeField()),
                ('expires', models.DateTimeField(null=True)),
                ('state', models.CharField(default='queued', max_length=8)),
                ('attempts', models.PositiveSmallIntegerField(default=0)),
                ('lease', models.DateTimeField(null=True)),
                ('batch', models.CharField(blank=True, max_length=64)),
                ('reached', models.JSONField(default=list)),
                ('why', models.CharField(blank=True, max_length=80)),
                ('made_at', models.DateTimeField()),
                ('done_at', models.DateTimeField(null=True)),
                ('account', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='notices', to=settings.AUTH_USER_MODEL)),
                ('game', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='notices', to='town.game')),
            ],
            options={
                'ordering': ('not_before', 'pk'),
                'indexes': [models.Index(fields=['state', 'not_before'], name='notice_due'), models.Index(fields=['account', 'channel', 'state'], name='notice_of_account')],
            },
        ),
    ]
