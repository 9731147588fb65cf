from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("town", "0005_reveal")]

    operations = [
        migrations.AddIndex(model_name="post", index=models.Index(fields=["game", "-id"], name="post_newest")),
    ]
